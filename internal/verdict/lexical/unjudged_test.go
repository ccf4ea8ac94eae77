package lexical

import (
	"math"
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A translation is a passage, a claim that it supports, and one that it contradicts.
type translation struct{ language, passage, right, wrong string }

func translations() []translation {
	return []translation{
		{
			"English", "The lighthouse was built by the harbour authority in 1889 and is 42 metres high. It has been a museum since 1975 and is open from May to October.",
			"The tower by the port has been used as a museum for visitors since 1975.", "The tower by the port is closed to visitors during the whole of the summer.",
		},
		{
			"German", "Der Leuchtturm wurde 1889 von der Hafenbehörde gebaut und ist 42 Meter hoch. Seit 1975 ist er ein Museum, das von Mai bis Oktober geöffnet ist.",
			"Der Turm am Hafen wird seit 1975 für die Besucher als Museum genutzt.", "Der Turm am Hafen ist während des ganzen Sommers für die Besucher nicht zugänglich.",
		},
		{
			"French", "Le phare a été construit en 1889 par l'autorité du port et mesure 42 mètres. Depuis 1975, c'est un musée qui est ouvert de mai à octobre.",
			"La tour du port est utilisée comme musée pour les visiteurs depuis 1975.", "La tour du port n'est pas ouverte aux visiteurs pendant les mois d'été.",
		},
		{
			"Spanish", "El faro fue construido por la autoridad del puerto en 1889 y tiene 42 metros de altura. Desde 1975 es un museo que está abierto de mayo a octubre para los visitantes.",
			"La torre del puerto se usa como museo para los visitantes desde el año 1975.", "La torre del puerto no está abierta para los visitantes durante los meses de verano y hay que esperar.",
		},
		{
			"Portuguese", "O farol foi construído pela autoridade do porto em 1889 e tem 42 metros de altura. Desde 1975 é um museu que não abre no inverno, mas está aberto até outubro.",
			"A torre do porto é usada pelos visitantes como museu e já não está em uso.", "A torre do porto não está aberta aos visitantes pelo menos até ao fim do verão.",
		},
		{
			"Italian", "Il faro fu costruito nel 1889 dall'autorità del porto ed è alto 42 metri. Dal 1975 è un museo che è aperto da maggio a ottobre per gli ospiti della città.",
			"La torre del porto è usata come museo dagli ospiti della città ed è molto amata.", "La torre del porto non è aperta agli ospiti nei mesi dell'estate e non può essere vista.",
		},
		{
			"Dutch", "De vuurtoren werd in 1889 door de havenautoriteit gebouwd en is 42 meter hoog. Sinds 1975 is het een museum dat van mei tot oktober geopend is.",
			"De toren aan de haven wordt sinds 1975 door het publiek als museum gebruikt.", "De toren aan de haven is niet open voor het publiek tijdens de zomer van dit jaar.",
		},
		{
			"Swedish", "Fyren byggdes 1889 av hamnmyndigheten och är 42 meter hög. Sedan 1975 är den ett museum som är öppet från maj till oktober och inte bara på helger.",
			"Tornet vid hamnen används sedan 1975 som museum och är öppet för besökare.", "Tornet vid hamnen är inte öppet för besökare under sommaren och det har också rivits.",
		},
		{
			"Danish or Norwegian", "Fyrtårnet blev bygget i 1889 af havnemyndigheden og er 42 meter højt. Siden 1975 har det været et museum, der er åbent fra maj til oktober og ikke kun af og til.",
			"Tårnet ved havnen er siden 1975 blevet brugt af de besøgende og er et museum.", "Tårnet ved havnen er ikke åbent for besøgende i sommeren, og det er også blevet revet ned.",
		},
		{
			"Polish", "Latarnia morska została zbudowana w 1889 roku przez zarząd portu i ma 42 metry wysokości. Od 1975 roku jest to muzeum, które jest otwarte od maja do października.",
			"Wieża przy porcie od 1975 roku jest używana przez gości jako muzeum.", "Wieża przy porcie nie jest otwarta dla gości przez całe lato tego roku.",
		},
		{
			"Finnish", "Majakka rakennettiin vuonna 1889 ja se on 42 metriä korkea. Vuodesta 1975 se on ollut museo, joka on avoinna toukokuusta lokakuuhun, mutta ei talvella.",
			"Torni on ollut kävijöiden museona jo pitkään ja se on avoinna kesällä.", "Torni ei ole kävijöille avoinna kesällä, ja se on myös purettu vuonna 1980.",
		},
		{
			"Turkish", "Deniz feneri 1889 yılında liman idaresi tarafından yapılmış ve 42 metre yüksekliğindedir. Bu yapı 1975'ten beri mayıs ile ekim arasında açık olan bir müzedir.",
			"Limandaki kule daha sonra herkes için açık olan bir müze olarak kullanıldı.", "Limandaki kule yaz boyunca herkes için açık değil ve bu nedenle çok az kişi tarafından görüldü.",
		},
		{
			"Czech or Slovak", "Maják byl postaven v roce 1889 a je vysoký 42 metrů. Od roku 1975 je to muzeum, které je otevřené od května do října a také při svátcích.",
			"Věž u přístavu je od roku 1975 využívána jako muzeum, které je otevřené.", "Věž u přístavu není v létě otevřená, protože byla již v roce 1980 zbořena a je pryč.",
		},
		{
			"Cyrillic script", "Маяк был построен в 1889 году управлением порта, его высота 42 метра. С 1975 года в нём находится музей, открытый с мая по октябрь.",
			"Башня у гавани с 1975 года используется для выставок.", "Башня у гавани закрыта для посетителей всё лето.",
		},
		{
			"Chinese", "这座灯塔由港务局于1889年建造，高42米。自1975年起，它成为一座博物馆，每年五月至十月对外开放。",
			"港口旁边的那座高塔多年来一直被当作展览场所使用。", "港口旁边的那座高塔整个夏天都不让游客进入参观。",
		},
		{
			"Japanese", "この灯台は1889年に港湾局によって建てられ、高さは42メートルです。1975年からは博物館になっており、五月から十月まで開いています。",
			"港のそばの塔は長いあいだ展示の場として使われています。", "港のそばの塔は夏のあいだずっと閉まっていて入れません。",
		},
		{
			"Korean", "이 등대는 1889년에 항만청이 세웠으며 높이는 42미터이다. 1975년부터 박물관으로 쓰이며 오월부터 시월까지 문을 연다.",
			"항구 옆의 탑은 오랫동안 전시 공간으로 사용되고 있습니다.", "항구 옆의 탑은 여름 내내 관람객이 들어갈 수 없습니다.",
		},
		{
			"Arabic script", "بنت سلطة الميناء المنارة عام 1889 ويبلغ ارتفاعها 42 مترا. وهي متحف منذ عام 1975 ويفتح أبوابه من مايو إلى أكتوبر.",
			"يستخدم البرج القريب من الميناء مكانا للعرض منذ سنوات طويلة.", "البرج القريب من الميناء مغلق أمام الزوار طوال الصيف.",
		},
		{
			"Hebrew", "המגדלור נבנה בשנת 1889 על ידי רשות הנמל וגובהו 42 מטרים. משנת 1975 הוא מוזיאון הפתוח ממאי עד אוקטובר.",
			"המגדל שליד הנמל משמש כבר שנים רבות כמקום תצוגה.", "המגדל שליד הנמל סגור למבקרים במשך כל הקיץ.",
		},
		{
			"Greek", "Ο φάρος χτίστηκε το 1889 από τη λιμενική αρχή και έχει ύψος 42 μέτρα. Από το 1975 είναι μουσείο που ανοίγει από τον Μάιο ως τον Οκτώβριο.",
			"Ο πύργος δίπλα στο λιμάνι χρησιμοποιείται εδώ και χρόνια για εκθέσεις.", "Ο πύργος δίπλα στο λιμάνι είναι κλειστός για το κοινό όλο το καλοκαίρι.",
		},
		{
			"Devanagari", "यह प्रकाशस्तंभ 1889 में बंदरगाह प्राधिकरण ने बनाया था और 42 मीटर ऊँचा है। 1975 से यह एक संग्रहालय है जो मई से अक्टूबर तक खुला रहता है।",
			"बंदरगाह के पास की मीनार कई वर्षों से प्रदर्शनी के काम आती है।", "बंदरगाह के पास की मीनार पूरी गर्मी दर्शकों के लिए बंद रहती है।",
		},
		{
			"Thai", "ประภาคารนี้สร้างโดยการท่าเรือในปี 1889 และสูง 42 เมตร ตั้งแต่ปี 1975 เป็นพิพิธภัณฑ์ที่เปิดตั้งแต่เดือนพฤษภาคมถึงตุลาคม",
			"หอคอยข้างท่าเรือใช้เป็นที่จัดแสดงมานานหลายปีแล้ว", "หอคอยข้างท่าเรือปิดไม่ให้ผู้ชมเข้าตลอดฤดูร้อน",
		},
	}
}

func TestClaimInAnotherLanguageIsUnjudged(t *testing.T) {
	j := newJudge(t, Options{})
	all := translations()
	for _, context := range all {
		for _, claims := range all {
			for i, v := range judge(t, j, newTask("", []string{context.passage}, claims.right, claims.wrong)) {
				if same := context.language == claims.language; (v.Label == verdict.Unjudged) == same {
					t.Errorf("claim %d in %s, context in %s: got %s (%s)", i, claims.language, context.language, v.Label, v.Reason)
				}
				if v.Label != verdict.Unjudged {
					continue
				}
				want := "the claim is in " + claims.language + ", the contexts are in " + context.language + "; use a model (--judge)"
				if v.Reason != want || !math.IsNaN(v.Score) || len(v.Evidence)+len(v.ChunkIDs) > 0 {
					t.Errorf("got %+v, want the reason %q without a score and evidence", v, want)
				}
			}
		}
	}
}

func TestClaimIsJudgedByAContextInItsLanguage(t *testing.T) {
	const (
		english = "The lighthouse was built by the harbour authority in 1889 and is 42 metres high."
		german  = "Der Leuchtturm wurde 1889 von der Hafenbehörde gebaut und ist 42 Meter hoch."
		chinese = "这座灯塔由港务局于1889年建造，高42米。自1975年起，它成为一座博物馆，每年五月至十月对外开放。"
		wrong   = "The tower by the port is closed to visitors during the whole of the summer."
	)
	for name, tt := range map[string]struct {
		contexts, claims []string
		want             []verdict.Label
	}{
		"only other languages":        {[]string{german, chinese}, []string{wrong}, []verdict.Label{verdict.Unjudged}},
		"one in its language":         {[]string{german, chinese, english}, []string{wrong}, []verdict.Label{verdict.NotMentioned}},
		"one that is unclear":         {[]string{german, "Height: 42 m; visitors: 31,000"}, []string{wrong}, []verdict.Label{verdict.NotMentioned}},
		"no text":                     {[]string{"", " "}, []string{wrong}, []verdict.Label{verdict.NotMentioned}},
		"short texts, clear together": {[]string{"Der Turm ist rot.", "Er wurde verkauft.", "Die Farbe und das Tor."}, []string{wrong}, []verdict.Label{verdict.Unjudged}},
		"words decide":                {[]string{german + " Auf der Tafel steht: the tower of the port is closed."}, []string{"The tower of the port is closed."}, []verdict.Label{verdict.Supported}},
		"short claim, clear answer":   {[]string{german}, []string{wrong, "The gates are green.", "Greenwich Mills"}, []verdict.Label{verdict.Unjudged, verdict.Unjudged, verdict.NotMentioned}},
		"short claim alone":           {[]string{german}, []string{"The gates are green."}, []verdict.Label{verdict.NotMentioned}},
		"part in another language":    {[]string{german}, []string{wrong, "Das Tor ist für die Gäste geschlossen und es ist grün."}, []verdict.Label{verdict.Unjudged, verdict.NotMentioned}},
	} {
		for i, v := range judge(t, newJudge(t, Options{}), newTask("", tt.contexts, tt.claims...)) {
			if v.Label != tt.want[i] {
				t.Errorf("%s: claim %d: got %s (%s), want %s", name, i, v.Label, v.Reason, tt.want[i])
			}
		}
	}
}

func TestQuestionShowsLanguageOfShortAnswer(t *testing.T) {
	t.Parallel()
	const minutes = "The board met on Monday in the town hall. The roof repair was postponed until two more quotes are available. Next meeting: 8 April at 18:30, online."
	const answer = "Die nächste Sitzung findet am 8. April um 18:30 Uhr online statt."
	j := newJudge(t, Options{})
	for question, want := range map[string]verdict.Label{
		"Wann ist die nächste Sitzung?": verdict.Unjudged,
		"":                              verdict.NotMentioned,
	} {
		if v := judge(t, j, newTask(question, []string{minutes}, answer))[0]; v.Label != want {
			t.Errorf("question %q: got %v (%s), want %v", question, v.Label, v.Reason, want)
		}
	}
}

func TestShortClaimInAnotherScriptIsUnjudged(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, answer := range []string{"Мост красный и длинный.", "다리는 빨갛고 매우 깁니다.", "הגשר אדום וארוך מאוד."} {
		for _, statement := range []string{"", "What is the bridge like: " + answer} {
			claim := extract.Claim{Text: answer, Statement: statement}
			for context, want := range map[string]verdict.Label{"The old red bridge is long.": verdict.Unjudged, "The old red bridge is long (" + answer + ")": verdict.Supported} {
				got, err := j.Judge(t.Context(), verdict.Task{Claims: []extract.Claim{claim}, Contexts: []string{context}})
				if err != nil {
					t.Fatal(err)
				}
				if v := got.Verdicts[0]; v.Label != want && (want == verdict.Unjudged || v.Label == verdict.Unjudged) {
					t.Errorf("%q in %q: got %v, want %v (%s)", answer, context, v.Label, want, v.Reason)
				}
			}
		}
	}
}

func TestDenialInAnotherLanguageIsUnjudged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		question, answer, context string
		want                      verdict.Label
	}{
		{"¿Está cerrado el museo los martes?", "No.", "El museo está cerrado los martes.", verdict.Unjudged},
		{"Ist das Museum dienstags geschlossen?", "Nein.", "Das Museum ist dienstags geschlossen.", verdict.Unjudged},
		{"Is het museum op dinsdag gesloten?", "Nee.", "Het museum is op dinsdag gesloten.", verdict.Unjudged},
		{"美术馆星期二关门吗？", "不是。", "美术馆星期二关门。", verdict.Unjudged},
		{"هل المتحف مغلق يوم الثلاثاء؟", "لا.", "المتحف مغلق يوم الثلاثاء.", verdict.Unjudged},
		{"Ist das Museum dienstags geschlossen?", "Ja.", "Das Museum ist dienstags geschlossen.", verdict.Supported},
		{"Is the museum closed on Tuesdays?", "No.", "The museum is closed on Tuesdays.", verdict.Contradicted},
		{"Test result?", "Negative.", "The test result was negative.", verdict.Supported},
	} {
		task := newTask(tt.question, []string{tt.context}, tt.answer)
		task.Claims[0].Statement = extract.Statements(tt.question, task.Claims)[0]
		if v := judge(t, newJudge(t, Options{}), task)[0]; v.Label != tt.want {
			t.Errorf("%q, %q: got %v (%s), want %v", tt.question, tt.answer, v.Label, v.Reason, tt.want)
		}
	}
}
