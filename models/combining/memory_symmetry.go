package combining

func (m *Memory) symmetries() {}
