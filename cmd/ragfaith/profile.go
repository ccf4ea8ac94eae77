package main

// A profile is a set of flags that makes runs comparable with those of another
// tool. A flag that is given beside it wins.
type profile struct {
	name  string
	flags [][2]string
}

const (
	profileRagas    = "ragas"
	profileRagEvals = "rag-evals"
	profileHHEM     = "hhem"
)

func profiles() []profile {
	return []profile{
		{profileRagas, [][2]string{{"claims", withLLM}, {"judge", withLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{profileRagEvals, [][2]string{{"claims", withLLM}, {"judge", withLLM}, {"evidence", "chunks"}, {"no-claims", "0"}}},
		{profileHHEM, [][2]string{{"claims", withLLM}, {"judge", withHHEM}, {"evidence", "joined"}, {"no-claims", "null"}}},
	}
}

func profileNames() []string {
	var names []string
	for _, p := range profiles() {
		names = append(names, p.name)
	}
	return names
}

// applyProfile sets the flags of --profile that were not given.
func (o *scoreOptions) applyProfile() error {
	for _, p := range profiles() {
		if p.name != o.profile {
			continue
		}
		for _, f := range p.flags {
			if flag := o.flags.Lookup(f[0]); !flag.Changed {
				if err := flag.Value.Set(f[1]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// whole says that statements are made of an answer as one text, as Ragas does it.
func (o *scoreOptions) whole() bool {
	return (o.profile == profileRagas || o.profile == profileHHEM) && o.claims == withLLM
}

// combined says that one request finds the claims and judges them, as rag_evals
// does it.
func (o *scoreOptions) combined() bool {
	return o.profile == profileRagEvals && o.claims == withLLM && o.judge == withLLM
}
