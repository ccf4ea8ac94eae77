package main
import ("bufio";"context";"encoding/json";"os";"runtime/pprof";"fmt";"time"
"github.com/ragfaith/ragfaith/internal/extract"
"github.com/ragfaith/ragfaith/internal/segment"
"github.com/ragfaith/ragfaith/internal/verdict"
"github.com/ragfaith/ragfaith/internal/verdict/markup"
"github.com/ragfaith/ragfaith/internal/verdict/lexical")
func main(){
 j,_:=lexical.New(lexical.Options{Threshold:.5,Sentences:func(t string,y func(a,b int)){for _,s:=range segment.Sentences(t,""){y(s.Start,s.End)}}})
 f,_:=os.Open(os.Args[1]); sc:=bufio.NewScanner(f); sc.Buffer(nil,1<<24)
 type row struct{Question,Answer string; Contexts []string}
 var rows []row
 for sc.Scan(){ var r row; json.Unmarshal(sc.Bytes(),&r); rows=append(rows,r)}
 p,_:=os.Create("/tmp/cpu.prof"); pprof.StartCPUProfile(p)
 t0:=time.Now()
 for range 5 { for _,r:=range rows { e,_:=extract.Sentences{}.Extract(context.Background(),r.Question,r.Answer); if len(e.Claims)==0 {continue}
  markup.Judge{Inner:j}.Judge(context.Background(),verdict.Task{Question:r.Question,Contexts:r.Contexts,Claims:e.Claims}) } }
 fmt.Println(time.Since(t0)); pprof.StopCPUProfile()
}
