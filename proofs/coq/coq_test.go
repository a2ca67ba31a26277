package coq_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/coq"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// TestProofs compiles all proofs, in full runs where Coq is installed, unless .ci/run has had these very files checked, by
// coqchk, too.
func TestProofs(t *testing.T) {
	seedtest.InFull(t)
	installed(t)
	if checked := os.Getenv("PROOFS_CHECKED"); checked != "" {
		files, err := filepath.Glob("*.v")
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		for _, name := range append([]string{"check"}, files...) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(text)
		}
		if checked == hex.EncodeToString(sum.Sum(nil)) {
			t.Skip("the files were checked before")
		}
	}
	out, err := exec.CommandContext(t.Context(), "./check", "--quick").CombinedOutput()
	if err != nil || !strings.Contains(string(out), ", no axioms") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestAxioms: check refuses a theorem that rests on an axiom, however that comes in, and takes the same proof without it.
func TestAxioms(t *testing.T) {
	seedtest.InFull(t)
	installed(t)
	const proof = "Require Import List.\nTheorem more : forall n : nat, n < S n.\nProof. auto. Qed.\n"
	for _, c := range []struct{ what, file, text, want string }{
		{"no axiom", "Other.v", proof, "1 files, 1 theorems and lemmas, no axioms"},
		{"a hypothesis outside of a section", "Other.v",
			"Hypothesis wrong : False.\nTheorem any : 1 = 2.\nProof. destruct wrong. Qed.\n" + proof, "Other.wrong : False"},
		{"one that a lemma hides", "Other.v",
			"Variable wrong : False.\nLemma no : False.\nProof. exact wrong. Qed.\nTheorem any : 1 = 2.\nProof. destruct no. Qed.\n",
			"Other.wrong : False"},
		{"an axiom of the library", "Other.v",
			proof + "Require Import Classical.\nTheorem either : forall P, P \\/ ~ P.\nProof. exact classic. Qed.\n", "classic"},
		{"another axiom where primitive integers are permitted", "Checker.v",
			"Require Import Uint63.\nHypothesis wrong : False.\nTheorem any : 1 = 2.\nProof. destruct wrong. Qed.\n",
			"rests on Checker.wrong"},
		{"primitive integers elsewhere", "Other.v",
			"Require Import Uint63.\nTheorem sums : forall x, eqb x x = true.\nProof. exact eqb_refl. Qed.\n", "Uint63.eqb_refl"},
		{"what is admitted", "Other.v", "Theorem any : 1 = 2.\nAdmitted.\n", "nothing may be admitted"},
	} {
		dir := t.TempDir()
		script, err := os.ReadFile("check")
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"check": string(script), c.file: c.text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, "check"), "--quick").CombinedOutput()
		if (err != nil) == (c.what == "no axiom") || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s", c.what, err, out)
		}
	}
}

// TestOrder: a file comes after those that it rests on, directly or not, and a file that does not exist is an error.
func TestOrder(t *testing.T) {
	got, err := coq.Order("Room.v")
	if want := []string{"Packets.v", "Step.v", "Room.v"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if _, err := coq.Order("None.v"); err == nil {
		t.Error("a file that does not exist has an order")
	}
}

// TestCheck has coqc check a file with those that it rests on.
func TestCheck(t *testing.T) {
	installed(t)
	if err := coq.Check(t.Context(), "Measures.v"); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := coq.Check(ctx, "Measures.v"); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context has ended: %v", err)
	}
}

// TestWrongTheorems: a proof fails if its rank, a number of VCs or a condition is changed, and fails where that is needed,
// not because the change has another shape than its proof takes apart.
func TestWrongTheorems(t *testing.T) {
	seedtest.InFull(t)
	installed(t)
	dir := t.TempDir()
	compile := func(name string) (problem string) {
		c := exec.CommandContext(t.Context(), "coqc", "-q", name)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "Error") {
			t.Fatalf("%v\n%s", err, out)
		}
		if err == nil {
			out = nil
		}
		return string(out)
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Packets.v", "Wormhole.v", "Grid.v", "Dateline.v", "Step.v", "Stuck.v", "Room.v", "Filled.v", "StarChannel.v", "WormStep.v", "Measures.v",
		"Checker.v", "Certified.v", "Reference.v", "StuckFlits.v", "Flits.v", "Shared.v", "Sinks.v", "OneFlit.v", "Pools.v",
		"Starvation.v", "BubbleTorus.v"} { // on which the others rest
		write(name, read(name))
		if problem := compile(name); problem != "" {
			t.Fatal(problem)
		}
	}
	for _, c := range []struct{ what, file, in, old, new string }{
		{"wrong rank: rising", "Mesh.v", "xy_lowered", "if up c then k - tail c (dim c) else", "if up c then tail c (dim c) else"},
		{"missing condition: any dimension", "Mesh.v", "xy_lowered", "lowest mesh x d (dim c) /\\ vc c", "((dim c < n)%nat /\\ x (dim c) <> d (dim c) /\\ True) /\\ vc c"},
		{"one VC fewer", "Dateline.v", "dateline_lowered", "then 0 else 1)%nat.\n  Definition dateline ", "then 0 else 0)%nat.\n  Definition dateline "},
		{"wrong rank: without the VC", "Dateline.v", "ring_lowers", "(if (v =? 0)%nat then k else 0) + (if u", "0 + (if u"},
		{"missing condition: CH before the wrap-around link", "StarChannel.v", "new_channel", "vc c = 0%nat /\\ wraps (up c) (x (dim c)) (d (dim c)) = false",
			"vc c = 0%nat /\\ wraps (up c) (x (dim c)) (d (dim c)) = wraps (up c) (x (dim c)) (d (dim c))"},
		{"wrong rank: CA as CH", "StarChannel.v", "ring_escape", "(if ca then k else 0) + (if u", "0 + (if u"},
		{"wrong rank: rising dimensions", "Ecube.v", "ecube_lowered", "n - across c", "across c"},
		{"missing condition: up after down", "UpDown.v", "updown_lowered", "next d c c' -> ~ up c -> ~ up c'", "next d c c' -> ~ up c -> True"},
		{"missing condition: the VC need not rise", "HopIndex.v", "hopindex_lowered", "vc c' = S (vc c) /\\", "vc c <= vc c' /\\"},
		{"missing condition: a turn to west", "Turns.v", "west_first_lower", "west_first (a b : way) (x : Z) := side a b /\\ b <> West",
			"west_first (a b : way) (x : Z) := side a b /\\ (b <> West \\/ a = South)"},
		{"missing condition: even columns", "Turns.v", "odd_even_lower", "side a b /\\ ~ (Z.even x = true /\\ a = East) /\\", "side a b /\\"},
		{"one VC fewer", "Crossing.v", "ring_first", "border u a then 1%nat else", "border u a then 0%nat else"},
		{"wrong rank: the wrap-around link last", "Crossing.v", "ring_next", "else if border u a then k else", "else"},
		{"missing condition: the escape in any dimension", "DuatoMesh.v", "new_channel", "vc c = 0%nat /\\ lowest mesh x d (dim c)).", "vc c = 0%nat /\\ True)."},
		{"wrong rank: VC 1 as the escape", "DuatoMesh.v", "new_channel", "pair_rank (S n) (k + 1) 0 0", "pair_rank (S n) (k + 1) (S n) 0"},
		{"one VC fewer", "CCCB.v", "cccb_three_vcs", "vc (fst s) <= 2.\n  Proof. intros s H", "vc (fst s) <= 1.\n  Proof. intros s H"},
		{"wrong rank: the link from n-1 to 0 in the next round", "CCCB.v", "cccb_lowered", "then vc c - 1 else vc c end", "then vc c else vc c end"},
		{"missing condition: a step before z is right", "CCCB.v", "route_under_way", "by_kind c <> Ccc /\\ pz p (px p) = pz d (px p) /\\", "by_kind c <> Ccc /\\ pz p (px p) = pz p (px p) /\\"},
		{"a certificate that some hop need not lower", "Packets.v", "ranked_sound",
			"a Leave \\/ exists t, a (Go t) /\\ rank (at_ N t) < rank (at_ N s).",
			"a Leave \\/ exists t, a (Go t) /\\ rank (at_ N t) <= rank (at_ N s)."},
		{"a hop into a ring that demands room 1", "Room.v", "step_kept", "at_ N t = successor (at_ N s)) -> 2 <= room s t.",
			"at_ N t = successor (at_ N s)) -> 1 <= room s t."},
		{"a first hop into a ring that demands room 1", "Room.v", "step_kept", "ring (at_ N s) = Some g -> 2 <= e.", "ring (at_ N s) = Some g -> 1 <= e."},
		{"wrong level: adaptive VCs at the lowest", "BubbleTorus.v", "escape", "then n - axis (the c) else S n.", "then n - axis (the c) else 0."},
		{"missing condition: an adaptive VC enters a ring with room 1", "BubbleTorus.v", "into_ring", "goes_on (p q : place) := (vc p =? 0)%nat &&",
			"goes_on (p q : place) := true &&"},
		{"a deadlock without bubbles for k = 3", "BubbleTorus.v", "bubbles_needed", "bubbles_needed : 4 <= k ->", "bubbles_needed : 3 <= k ->"},
		{"a deadlock without bubbles for k = 4, where ties go down", "BubbleTorus.v", "bubbles_needed", "forall x d, rule x d 0 true)",
			"forall x d, rule x d 0 false)"},
		{"a rule that leaves no way at distance k/2", "BubbleTorus.v", "escape", "minimal u (pos x i) (pos d i) /\\ rule x d i u.",
			"minimal u (pos x i) (pos d i) /\\ (rule x d i u -> rule x d i u)."},
		{"a rule that leaves no way at distance k/2", "StarChannel.v", "star_escapes", "minimal u (x i) (d i) /\\ rule x d i u.",
			"minimal u (x i) (d i) /\\ (rule x d i u -> rule x d i u)."},
		{"a deadlock of CCCB for n = 2", "CCCBTwo.v", "twice_other", "n3 : 3 <= n.", "n3 : 2 <= n."},
		{"a deadlock of CCCB with three VCs", "CCCBTwo.v", "way_on", "Nat.min (S v) 1 else v", "Nat.min (S v) 2 else v"},
		{"channels that fill up with demands of two", "Filled.v", "bring", "entry s 1 -> way s", "entry s 2 -> way s"},
		{"demands beyond the capacity", "Step.v", "progress", "a (Go t) -> room s t <= capacity (at_ N t).", "a (Go t) -> room s t <= S (capacity (at_ N t))."},
		{"a stuck set with room for a hop", "Stuck.v", "stays_step", "capacity (at_ N t) < length (st (at_ N t)) + room s t.",
			"capacity (at_ N t) <= length (st (at_ N t)) + room s t."},
		{"a trace that ends with room for a hop", "Reference.v", "deadlock_sound", "(capacity sc <? length (queue s d) + need h)",
			"(capacity sc <? S (length (queue s d) + need h))"},
		{"a trace whose set is left by a hop", "Reference.v", "deadlock_sound", "(if in_dec same d w then true else false) &&", "(if in_dec same d w then true else true) &&"},
		{"a step into a full channel", "Reference.v", "accepts_iff", "(sum_flits (queue s c) + need h <=? capacity sc)",
			"(sum_flits (queue s c) <=? capacity sc)"},
		{"dead ends", "Reference.v", "back", "row (Inside (fst s)) (snd s) <> Some [].", "row (Inside (fst s)) (snd s) <> None."},
		{"a trace to a packet that just fits ahead", "StuckFlits.v", "good_removed", "capacity sc * length l < content s (B ++ c :: l) }.",
			"capacity sc * length l <= content s (B ++ c :: l) }."},
		{"a trace to a packet whose source may end it", "StuckFlits.v", "holds_fuller", "if endless sc then 0 else last_rest (queue s c).",
			"last_rest (queue s c)."},
		{"a trace whose head may leave the set", "StuckFlits.v", "flits_wait_holds", "if in_dec same d w then true else false | _ => false end.",
			"if in_dec same d w then true else true | _ => false end."},
		{"flits beyond the capacity", "StuckFlits.v", "holds_pass", "flits q' = S (flits q) -> flits q < capacity sc ->",
			"flits q' = S (flits q) -> flits q <= capacity sc ->"},
		{"flits with an escape below the head alone", "Flits.v", "head_out", "Hypothesis ranks : escapes N rank.",
			"Hypothesis ranks : forall l s a, worm N l s a -> (exists h, a h) -> a Leave \\/ exists t, a (Go t) /\\ forall c, c = fst s -> rank (fst t) < rank c."},
		{"flits in buffers without a place", "Flits.v", "follows_out", "buffers : 1 <= capacity sc.", "buffers : 0 <= capacity sc."},
		{"tables with dead ends", "CertifiedStep.v", "reads_site", "exists e, Checker.find s (sites t) = Some e /\\ Checker.row e <> []) ->",
			"exists e, Checker.find s (sites t) = Some e /\\ Checker.row e = Checker.row e) ->"},
		{"tables whose sites are channels", "CertifiedStep.v", "hop_into", "Reference.Into (channel_at t s) s |", "Reference.Into s s |"},
		{"flits with dead ends", "Flits.v", "head_out", "row (Inside (fst s)) (snd s) <> Some [].", "row (Inside (fst s)) (snd s) <> None."},
		{"flits with sinks that fill", "Flits.v", "shows_advance", "Hypothesis drains_at_once : sink sc = 0.", "Hypothesis drains_at_once : 0 <= sink sc."},
		{"shared channels, where a hop need not lower the rank", "Shared.v", "goes_to", "Hypothesis lowers : lowered N rank.",
			"Hypothesis lowers : forall s a t, reached N s -> alternative N s a -> a (Go t) -> rank (fst t) <= rank (fst s)."},
		{"shared channels without a place", "Shared.v", "behind_goes", "buffers : 1 <= capacity sc.", "buffers : 0 <= capacity sc."},
		{"shared channels with dead ends", "Shared.v", "progress", "row (Inside (fst s)) (snd s) <> Some [].", "row (Inside (fst s)) (snd s) <> None."},
		{"shared channels, demands beyond the capacity", "Shared.v", "progress", "need x <= capacity sc.", "need x <= S (capacity sc)."},
		{"shared channels, a head behind a packet that is still entering", "Shared.v", "fine_append",
			"last_rest (queue s d) = 0 -> fine none s'.", "last_rest (queue s d) <= 1 -> fine none s'."},
		{"finite sinks, where the others hold packets, too", "Sinks.v", "accepts_more", "elastic := elastic sc; sink := 0 |}.",
			"elastic := elastic sc; sink := 1 |}."},
		{"shared channels of two flits as those of one", "OneFlit.v", "accepts_apart", "one_flit : capacity sc = 1.", "one_flit : capacity sc = 2."},
		{"tables whose hops lead elsewhere", "Tables.v", "reached_means", "a (Go u) /\\ means (d, k) u }.", "a (Go u) /\\ means (d, k) s }."},
		{"a certificate, where hops demand no place", "CertifiedStep.v", "rank_shared", "demanding : forall h s, 1 <= demand",
			"demanding : forall h s, 0 <= demand"},
		{"bubbles, where channels have more places than the table says", "PoolsStep.v", "stands_step", "as_many : capacity sc = places t.",
			"as_many : capacity sc = S (places t)."},
		{"one VC fewer", "Boards.v", "first", "then 1%nat else v.", "then 0%nat else v."},
		{"wrong rank: S above the rings", "Boards.v", "boards_lowered", "| South => 0\n    | East", "| South => 3 * k\n    | East"},
		{"missing condition: S at any board", "Boards.v", "first", "out c = South /\\ x = column d /\\", "out c = South /\\ 0 <= x /\\"},
		{"classes in any order", "Replies.v", "classes_ranked", "class (at_ N t) < class (at_ N s) \\/", "class (at_ N t) <> class (at_ N s) \\/"},
		{"a request whose reply waits for requests", "Replies.v", "request_reply", "a Leave \\/ exists t, a (Go t) /\\ reply (at_ N t) = true /\\ rank",
			"a Leave \\/ exists t, a (Go t) /\\ reply (at_ N t) = reply (at_ N t) /\\ rank"},
		{"a change with ranks for the old table alone", "Change.v", "mixture_never_stuck", "ranked union rank -> forall m K", "ranked (with_table old) rank -> forall m K"},
		{"one VC fewer", "DuatoTorus.v", "offers_star", "then 0 else 1)%nat).\n  Definition duato_torus ", "then 0 else 0)%nat).\n  Definition duato_torus "},
		{"wrong rank: datelines in the other order", "DuatoTorus.v", "duato_torus_escapes", "star_rank k n (renamed c).", "star_rank k n c."},
		{"wrong rank: clearing a bit below setting one", "Pcube.v", "pcube_lowered", "then S n + ones n (from c)", "then ones n (from c)"},
		{"missing condition: bits set before all are cleared", "Pcube.v", "pcube_lowered", "x j = true -> d j = true).", "x j = true -> x j = true)."},
		{"a step into a channel that is held", "WormStep.v", "step_once", "free (before ++ (l, (s, a)) :: after) (at_ N t) ->", "True ->"},
		{"an escape below the head alone", "WormStep.v", "lowest_leaves", "Hypothesis ranks : escapes N rank.",
			"Hypothesis ranks : forall l s a, worm N l s a -> (exists h, a h) -> a Leave \\/ exists t, a (Go t) /\\ forall c, c = at_ N s -> rank (at_ N t) < rank c."},
		{"states whose channels are not all listed", "DatelineStates.v", "places_all", "[0; 1]%nat) [true", "[0]%nat) [true"},
		{"one VC fewer", "DatelineStates.v", "listed_lowered", "then 0 else 1)%nat.\n  Definition listed ", "then 0 else 0)%nat.\n  Definition listed "},
		{"an accepted certificate whose demands exceed the capacity", "Certified.v", "ranked_states", "capacity (channel_at t u).", "S (capacity (channel_at t u))."},
		{"what is held bounded from above", "WormholeExact.v", "lowest_le", "fold_right (fun d m => Nat.min (rank d) m) (rank c) l end.",
			"fold_right (fun d m => Nat.max (rank d) m) (rank c) l end."},
		{"a gap whose packets have one hop", "WormholeExact.v", "gap_waits", "C, Two => [Go (X, Two); Go (Y, Two)]", "C, Two => [Go (X, Two); Go (X, Two)]"},
		{"starvation, where a hop demands two places", "Starvation.v", "channel_moves", "rank (at_ N s) /\\ room s t = 1.",
			"rank (at_ N s) /\\ room s t = 2."},
		{"starvation, without a lower rank", "Starvation.v", "channel_moves", "rank (at_ N t) < rank (at_ N s) /\\ room s t = 1.",
			"rank (at_ N t) <= rank (at_ N s) /\\ room s t = 1."},
		{"bubbles that do not starve: one place is enough", "Starvation.v", "bubbles_never_stuck", "e = 2.", "e = 1."},
		{"missing condition: an edge from which the target need not lie outwards", "Plane.v", "falls",
			"(edges r) -> beyond (a, b) t -> 0 < square a b ->", "(edges r) -> left_of a b t < square a b -> 0 < square a b ->"},
		{"wrong measure: the cotangent rises", "Plane.v", "falls", "slant e t < slant f t.", "slant f t < slant e t."},
		{"missing condition: a plane that need not be convex", "Plane.v", "goes_on", "inside s t -> ~ beyond e t.\n\n  (* The edges",
			"inside s t -> ~ inside s t.\n\n  (* The edges"},
		{"missing condition: regions that need not be convex", "Plane.v", "corner_inside",
			"(forall c, In c r -> 0 <= left_of a b c) /\\", "(forall c, In c r -> 0 <= left_of a b a) /\\"},
		{"a set that a hop leaves with a place less", "Pools.v", "leaves_kept", "(free p <=? n - 1) ||\n", "(free p <=? n) ||\n"},
		{"a hop from elsewhere into a set of one free place", "Pools.v", "pool_step", "Some c => has p c |", "Some c => has p c || (free p <=? 1) |"},
		{"a hop that demands no place", "Pools.v", "demands_least", "To _ n => 1 <=? n end", "To _ n => 0 <=? n end"},
		{"a search that takes channels to be fuller than they are", "Pools.v", "not_full", "(fun c => places t - taken l c)",
			"(fun c => places t - S (taken l c))"},
		{"held by the head alone", "Wormhole.v", "held_escapes", "held t <= held s /\\ held t <= rank (at_ N t)", "held t <= held t /\\ held t <= rank (at_ N t)"},
	} {
		text := read(c.file)
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Errorf("%s: %s does not have %q", c.what, c.file, c.old)
			continue
		}
		write(c.file, changed)
		problem := compile(c.file)
		switch {
		case problem == "":
			t.Errorf("%s: %s is proved", c.what, c.file)
		case failing(changed, problem) != c.in || ofShape.MatchString(problem):
			t.Errorf("%s: %s, want it to fail in %s for what is wrong; in %s: %s", c.what, c.file, c.in, failing(changed, problem), problem)
		}
		write(c.file, text)
	}
}

// failing is the name of the theorem or lemma in which coqc met an error, by the line that it names.
func failing(text, problem string) (name string) {
	m := atLine.FindStringSubmatch(problem)
	if m == nil {
		return ""
	}
	last, _ := strconv.Atoi(m[1])
	for _, line := range strings.Split(text, "\n")[:last] {
		if m := theorem.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
	}
	return name
}

var (
	// ofShape are the errors of a proof that does not fit the form of its statement.
	ofShape = regexp.MustCompile(`Syntax error|not found in the current|pattern|Unable to apply lemma|` +
		`no subterm|Not convertible`)
	atLine  = regexp.MustCompile(`, line (\d+), characters`)
	theorem = regexp.MustCompile(`^ *(?:Theorem|Lemma|Corollary) (\w+)`)
)

func installed(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("coqc"); err != nil {
		t.Skip("Coq is not installed")
	}
}
