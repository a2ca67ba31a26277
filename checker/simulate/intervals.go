package simulate

import "math"

// The interval of one run comes from the method of batch means (Law and Kelton, Simulation Modeling and Analysis,
// 9.5.3; Pawlikowski 1990, ACM Computing Surveys 22, 2). It holds the mean as often as it says only if the batches
// are independent and not too skewed. Near saturation they are neither: a queue remembers for a time that grows with
// 1/(1-load)^2 (Whitt 1989, Management Science 35, 11), and most of its mean comes from a few long busy periods.
//
//   - Dependence is estimated as Law and Carson do (1979, Operations Research 27, 5). A lag-1 autocorrelation needs
//     many values, so it is that of pieces a tenth as long as a batch. Where these have little, ten of them together
//     have next to none. Batches are made longer until that holds.
//   - If it does not hold for the longest, nothing is known about the error of the mean, not even its order: there is
//     no interval.
//   - What dependence and skewness are left widen the interval, as in Skart (Tafazzoli and Wilson 2011, IIE
//     Transactions 43, 2): by the variance of an autoregressive sequence, and by Willink's correction of Student's
//     quantile (2005, Communications in Statistics 34, 2).
//
// A run that happens to have no long busy period has a low mean, a short interval and batches that look independent.
// So what can be promised is not that nineteen of twenty intervals hold the mean at any load, but that few runs print
// one that does not. A test compares with the closed form of a single link, from light loads to saturation.

const (
	pieces = 200 // into which the measured clocks are divided; a batch is some of them
	tenth  = 10  // parts of a batch in the test of dependence
)

// batches are the numbers of batches that are tried, and the autocorrelation that is tolerated in parts a tenth as
// long: more of fewer, whose estimate has a greater error. With fewer than five batches, Student's quantile makes an
// interval useless.
var batches = [...]struct {
	number    int
	tolerated float64
}{{20, 0.2}, {10, 0.3}, {5, 0.4}}

// Estimate is a mean with its 95 % interval: Mean-Half to Mean+Half. Half is less than 0, and there is no interval,
// for a trace, if too little was measured, and if the run was so short that its batches depend on each other.
type Estimate struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half"`
}

// Contains reports whether x is in the interval.
func (e Estimate) Contains(x float64) bool { return math.Abs(x-e.Mean) <= e.Half }

// ratio is what an estimate is a mean of, as in clocks a packet: both in one piece of a run.
type ratio struct{ above, below float64 }

// estimate returns the ratio of the sums, and whether a number of batches was found that are independent.
func estimate(all []ratio) (e Estimate, independent bool) {
	var sum ratio
	for _, x := range all {
		sum.above, sum.below = sum.above+x.above, sum.below+x.below
	}
	if sum.below == 0 {
		return Estimate{}, true
	}
	for _, b := range batches {
		if autocorrelation(merge(all, tenth*b.number)) <= b.tolerated {
			return Estimate{sum.above / sum.below, halfOf(merge(all, b.number))}, true
		}
	}
	return Estimate{sum.above / sum.below, -1}, false
}

// merge returns the ratios in n equal parts of a run, without those in which there is nothing below.
func merge(all []ratio, n int) []float64 {
	var parts []float64
	for i := range n {
		var sum ratio
		for _, x := range all[i*len(all)/n : (i+1)*len(all)/n] {
			sum.above, sum.below = sum.above+x.above, sum.below+x.below
		}
		if sum.below > 0 {
			parts = append(parts, sum.above/sum.below)
		}
	}
	return parts
}

// halfOf returns half of the interval of the mean of batches, the longer one if they are skewed.
func halfOf(x []float64) float64 {
	e, n := MeanOf(x), float64(len(x))
	if n < 3 || e.Half == 0 {
		return e.Half
	}
	t := quantile(len(x) - 1)
	deviation := e.Half / t * math.Sqrt(n)
	cubes := 0.0
	for _, v := range x {
		cubes += math.Pow((v-e.Mean)/deviation, 3)
	}
	skewness := cubes * n / (n - 1) / (n - 2)
	correlation := min(max(autocorrelation(x)+1/n, 0), 0.8) // the estimate is too low by about 1/n
	quantile := max(skewed(t, skewness, n), skewed(-t, skewness, n))
	return e.Half / t * quantile * math.Sqrt((1+correlation)/(1-correlation))
}

// skewed returns how far from the mean, in standard errors, a quantile t of Student's distribution lies for n values
// of some skewness (Willink 2005).
func skewed(t, skewness, n float64) float64 {
	b := skewness / 6 / math.Sqrt(n)
	if math.Abs(b) < 1e-6 {
		return math.Abs(t)
	}
	return math.Abs((math.Cbrt(1+6*b*(t-b)) - 1) / (2 * b))
}

// autocorrelation estimates the lag-1 autocorrelation of a sequence, as 1 less half of von Neumann's ratio (1941,
// Annals of Mathematical Statistics 12, 4), and so that a trend counts. Of fewer than ten values it is 0: nothing
// could be said.
func autocorrelation(x []float64) float64 {
	if len(x) < tenth {
		return 0
	}
	mean := MeanOf(x).Mean
	var steps, squares float64
	for i, v := range x {
		squares += (v - mean) * (v - mean)
		if i > 0 {
			steps += (v - x[i-1]) * (v - x[i-1])
		}
	}
	if squares <= 1e-18*mean*mean*float64(len(x)) { // rounding
		return 0
	}
	return 1 - steps/squares/2
}

// MeanOf estimates the mean of the distribution that independent values are drawn from.
func MeanOf(values []float64) Estimate {
	var sum, squares float64
	for _, x := range values {
		sum, squares = sum+x, squares+x*x
	}
	switch n := float64(len(values)); n {
	case 0:
		return Estimate{}
	case 1:
		return Estimate{sum, -1}
	default:
		return Estimate{sum / n, quantile(len(values)-1) * math.Sqrt(max(0, squares-sum*sum/n)/(n-1)/n)}
	}
}

// quantile is the 97.5 % quantile of Student's distribution.
func quantile(freedom int) float64 {
	table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	return 1.96 + 2.5/float64(freedom) // within a hundredth from 11 on
}
