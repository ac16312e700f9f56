package testenv
import ("testing";"time")
func BenchmarkWork(b *testing.B){ for b.Loop(){work()} }
func TestX(t *testing.T){ t.Log(Limit(time.Second), BuildFlags()) }
