package main

import "github.com/spf13/pflag"

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

// applyProfile sets the flags of --profile that were not given so far. It is
// called after each place that settings come from, so that a profile ranks right
// behind the place that names it: one on the command line wins over a judge that
// a file names, since with another judge it would not be that profile.
func applyProfile(flags *pflag.FlagSet) error {
	name := flags.Lookup("profile")
	if name == nil || !name.Changed {
		return nil
	}
	for _, p := range profiles() {
		if p.name != name.Value.String() {
			continue
		}
		for _, f := range p.flags {
			flag := flags.Lookup(f[0])
			if flag.Changed {
				continue
			}
			if err := flag.Value.Set(f[1]); err != nil {
				return err
			}
			mark(flag, fromProfile, p.name, originOf(name).place)
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
