"""Small hand-made tables: what the lexicon archive does not say, or says too loosely."""


def groups(text: str) -> list[list[str]]:
    """Lines of words split at '|', each a group of words that can stand for each other."""
    return [line.strip().split("|") for line in text.strip().splitlines()]


def others(lines: list[list[str]]) -> dict[str, list[str]]:
    """Each word of a group with the other words of its groups."""
    out: dict[str, list[str]] = {}
    for line in lines:
        for word in line:
            out.setdefault(word, []).extend(w for w in line if w != word)
    return out


IRREGULAR = {row[0]: (row[1], row[2]) for row in groups("""
be|was|been\nbecome|became|become\nbegin|began|begun\nbreak|broke|broken\nbring|brought|brought
build|built|built\nbuy|bought|bought\nchoose|chose|chosen\ncome|came|come\ncut|cut|cut\ndo|did|done
draw|drew|drawn\ndrive|drove|driven\neat|ate|eaten\nfall|fell|fallen\nfeel|felt|felt\nfight|fought|fought
find|found|found\nfly|flew|flown\nforbid|forbade|forbidden\nforget|forgot|forgotten\nget|got|got
give|gave|given\ngo|went|gone\ngrow|grew|grown\nhave|had|had\nhear|heard|heard\nhide|hid|hidden
hit|hit|hit\nhold|held|held\nkeep|kept|kept\nknow|knew|known\nlead|led|led\nlearn|learned|learned
leave|left|left\nlend|lent|lent\nlet|let|let\nlose|lost|lost\nmake|made|made\nmean|meant|meant\nmeet|met|met
overcome|overcame|overcome\npay|paid|paid\nput|put|put\nread|read|read\nride|rode|ridden\nrise|rose|risen
run|ran|run\nsay|said|said\nsee|saw|seen\nsell|sold|sold\nsend|sent|sent\nset|set|set\nshow|showed|shown
shrink|shrank|shrunk\nshut|shut|shut\nsing|sang|sung\nsit|sat|sat\nspeak|spoke|spoken\nspend|spent|spent
stand|stood|stood\nsteal|stole|stolen\nsweep|swept|swept\ntake|took|taken\nteach|taught|taught\ntell|told|told
think|thought|thought\nthrow|threw|thrown\nunderstand|understood|understood\nwear|wore|worn\nwin|won|won
withdraw|withdrew|withdrawn\nwrite|wrote|written\nundergo|underwent|undergone\nhurt|hurt|hurt\nseek|sought|sought
arise|arose|arisen\nbear|bore|borne\nbeat|beat|beaten\nbind|bound|bound\nblow|blew|blown\ncatch|caught|caught
cost|cost|cost\nspread|spread|spread\nshoot|shot|shot\nsleep|slept|slept\nstrike|struck|struck\nswim|swam|swum
wake|woke|woken\nlie|lay|lain\nlay|laid|laid\nfeed|fed|fed\nfreeze|froze|frozen\nspring|sprang|sprung
""".replace("\\n", "\n"))}
THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
PLURALS = {"man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "tooth": "teeth",
           "mouse": "mice", "wife": "wives", "life": "lives", "knife": "knives", "leaf": "leaves", "wolf": "wolves",
           "half": "halves", "sheep": "sheep", "fish": "fish", "series": "series", "species": "species",
           "analysis": "analyses", "piano": "pianos", "photo": "photos", "hero": "heroes", "video": "videos",
           "data": "data", "stone": "stones", "country house": "country houses", "radio": "radios"}
NOT_VERBS = set("""the and for his her its may can will second minute state people like down out off over up in
still even well better while long more less most least near own wrong right round father mother minister man men
do be have no ma march august""".split())
TITLES = set("Mr Mrs Ms Dr Sir Lord Lady King Queen Prince Princess President Professor Saint St Captain General".split())
ORG_WORDS = set("""University Institute College School Company Corporation Corp Inc Ltd Club Party Association Council
Committee Commission Agency Department Ministry Bank Group Foundation Society Union Museum Hospital Museum Church League
Records Studios Pictures Airlines Motors Academy Army Navy Court Parliament Senate Congress Times Post Orchestra Team
FC United Government""".split())
PLACE_WORDS = set("""River Lake Mountain Mountains Island Islands County City Street Road Avenue Park Valley Bay Ocean Sea
Beach Province District State Bridge Castle Hill Square Desert Forest Peninsula Coast""".split())
PLACES = set("""Europe Asia Africa America Australia Antarctica London England Scotland Wales Britain UK U.K. USA U.S. US
California Texas Florida Virginia Ohio Illinois Georgia Michigan Pennsylvania Washington Hollywood Manhattan Brooklyn
Oxford Cambridge Bavaria Siberia Sicily Tuscany Normandy Alaska Hawaii Arizona Oregon Nevada Utah Kansas Iowa Indiana
Tennessee Kentucky Alabama Louisiana Mississippi Missouri Oklahoma Colorado Wisconsin Minnesota Massachusetts Maryland
Quebec Ontario Catalonia Yorkshire""".split()) | {"New York", "North America", "South America", "Los Angeles", "San Francisco",
    "New York City", "United States", "United Kingdom", "New Jersey", "North Carolina", "South Carolina", "Hong Kong"}
BIG_CITIES = ("London Paris Berlin Madrid Rome Vienna Prague Warsaw Lisbon Dublin Athens Oslo Stockholm Helsinki "
              "Moscow Cairo Nairobi Lagos Mumbai Delhi Beijing Shanghai Tokyo Osaka Seoul Bangkok Jakarta Manila Sydney "
              "Melbourne Toronto Montreal Vancouver Chicago Boston Houston Seattle Denver Miami Atlanta Dallas Detroit "
              "Philadelphia Havana Lima Bogota Santiago Hamburg Munich Milan Naples Turin Venice Florence Barcelona "
              "Valencia Seville Porto Lyon Marseille Brussels Antwerp Amsterdam Rotterdam Copenhagen Budapest Bucharest "
              "Sofia Belgrade Zagreb Kyiv Istanbul Ankara Tehran Baghdad Karachi Lahore Dhaka Hanoi Singapore Glasgow "
              "Edinburgh Manchester Liverpool Birmingham Leeds Bristol Cardiff Belfast Zurich Geneva Basel").split()
STOP = set("""a an the and or but nor so yet of in on at by for with from to into onto over under as than that which who
whom whose this these those it its he his him she her they their them we our us you your i my me is are was were be been
being am do does did have has had will would can could may might must shall should not no also there here when where while
if then such more most less least very one other some any all each both about after before during between through up down
out off again only own same too just because what how why s t""".split())

# Verbs by base form: each word with verbs that say the opposite.
VERB_ANTONYMS = others(groups("""
increase|decrease\nincrease|reduce\nrise|fall\nwin|lose\naccept|reject\nallow|prevent\nallow|forbid\nsupport|oppose
agree|disagree\nbegin|stop\nstart|stop\nopen|close\nbuy|sell\npurchase|sell\nadd|remove\ngain|lose\nexpand|shrink
improve|worsen\narrive|depart\nenter|leave\nappear|disappear\ninclude|exclude\napprove|reject\nconfirm|deny\nlike|dislike
love|hate\npass|fail\nsucceed|fail\nattack|defend\nencourage|discourage\nstrengthen|weaken\nconnect|disconnect
praise|criticise\npromote|demote\nhire|fire\njoin|leave\nborrow|lend\nimport|export\nbuild|destroy\ncreate|destroy
reveal|conceal\nshow|hide\nprotect|endanger\nenable|disable\nenhance|impair\nactivate|inhibit\nprecede|follow
outperform|underperform\naccelerate|slow\nraise|lower\nsimplify|complicate\nrefuse|agree\nadmit|deny\nremember|forget
survive|die\nattract|repel\nextend|shorten\ngrow|shrink\nboost|reduce\nfacilitate|hinder
require|forbid\ndiscover|overlook\nmaintain|abandon\nexceed|fall below\nsign|reject
""".replace("\\n", "\n")))
# Verbs by base form: each word with verbs that say something else of the same kind.
VERB_SISTERS = others(groups("""
write|translate|review|illustrate\ndirect|finance|produce|review\npropose|criticise|review\nintroduce|remove|criticise
develop|purchase|abandon\npublish|translate|withdraw\nfound|buy|close\nestablish|dissolve|purchase\ndesign|demolish|photograph
play|coach|watch\nperform|cancel|film\nstudy|teach|ignore\nvisit|leave|avoid\nrecord|cancel|copy\nrelease|cancel|record
sing|hear|reject\nbuild|design|purchase\nmarry|sue|divorce\nteach|study\nevaluate|ignore\nappoint|dismiss\nelect|nominate
discover|steal|sell\ninvent|copy|ban\ndemonstrate|disprove\nsend|receive\nconduct|cancel|criticise\nwitness|cause
explore|avoid|ignore\nemploy|sue\nname|ban\ntrain|test\naward|deny\nserve|abandon\nstar|sing\nrepresent|betray
remain|cease to be\nreceive|refuse|request\nlaunch|cancel|delay\nselect|reject\nmeasure|predict|ignore
provide|request|withhold\noffer|request|withhold\nhelp|hinder|ignore\nmove|drive|return\nstore|delete\nreturn|skip
present|withdraw|criticise\nidentify|rule out\ncontain|lack\nrequire|lack\nestimate|ignore\nincorporate|avoid
generate|consume|store\ninspire|annoy\ncompose|perform\nfeature|lack\ncapture|lose|free
""".replace("\\n", "\n")))
VERBS = {w.split()[0] for d in (VERB_ANTONYMS, VERB_SISTERS) for w in d} | set("""say call use make work live name
show find study argue state suggest explain describe report propose present think want know believe discuss claim""".split())

ADJECTIVE_ANTONYMS = others(groups("""
large|small\nbig|small\nhigh|low\nold|new\nyoung|old\nearly|late\nhot|cold\nwarm|cool\nstrong|weak\npositive|negative
successful|unsuccessful\nsafe|dangerous\nmajor|minor\neasy|difficult\nsimple|complex\nfast|slow\npublic|private
legal|illegal\nactive|inactive\nancient|modern\ncommon|rare\nbeneficial|harmful\ndomestic|foreign\nable|unable
healthy|unhealthy\nrich|poor\npopular|unpopular\nimportant|unimportant\nnorthern|southern\neastern|western\nmale|female
internal|external\ntemporary|permanent\nnecessary|unnecessary\neffective|ineffective\nefficient|inefficient\nstable|unstable
accurate|inaccurate\nreliable|unreliable\nwilling|unwilling\nsatisfied|dissatisfied\nhappy|unhappy\nsenior|junior
upper|lower\nurban|rural\npossible|impossible\nfull|empty\nexpensive|cheap\nheavy|light\nwide|narrow\ndeep|shallow
significant|insignificant\nsufficient|insufficient\navailable|unavailable\nofficial|unofficial\naware|unaware
similar|different\nsame|different\ncorrect|incorrect\nconsistent|inconsistent\ndirect|indirect\ndependent|independent
familiar|unfamiliar\nexplicit|implicit\nlong-term|short-term\nsupervised|unsupervised\nacute|chronic\ndry|wet\nrural|urban
professional|amateur\nvoluntary|mandatory\nrequired|optional\nprior|later\noptimistic|pessimistic\nlikely|unlikely
fictional|real\nvisible|invisible\nregular|irregular\nappropriate|inappropriate\nclear|unclear\nrelevant|irrelevant
adequate|inadequate\nprofitable|unprofitable\nexisting|future\nunknown|well-known\nfamous|unknown\nconservative|liberal
quiet|loud\nuseful|useless\npowerful|powerless\nguilty|innocent\nopen|closed\ninitial|final\nfirst|last\nunique|common
maximum|minimum\nsufficient|inadequate\nexperienced|inexperienced\nvaluable|worthless\nmultiple|single\nsafer|riskier
""".replace("\\n", "\n")))
ADVERB_ANTONYMS = others(groups("""
quickly|slowly\nrapidly|slowly\nfrequently|rarely\noften|rarely\nusually|rarely\nalways|never\nfully|partially
directly|indirectly\npublicly|secretly\nsuccessfully|unsuccessfully\ntemporarily|permanently\ndaily|weekly\nmonthly|annually
early|late\nnationally|locally\npositively|negatively\nsignificantly|slightly\nwidely|rarely\nvoluntarily|unwillingly
easily|barely\nsimultaneously|separately\nimmediately|much later\nprivately|publicly\nslightly|greatly\nstrongly|weakly
""".replace("\\n", "\n")))
COMPARATIVES = others(groups("""
higher|lower\nlarger|smaller\ngreater|smaller\nbigger|smaller\nearlier|later\nolder|younger\nolder|newer\nbetter|worse
stronger|weaker\nfaster|slower\nlonger|shorter\nwarmer|colder\nwider|narrower\nricher|poorer\nsafer|riskier\neasier|harder
heavier|lighter\ncheaper|pricier\nhighest|lowest\nlargest|smallest\nbest|worst\nearliest|latest\noldest|youngest
longest|shortest\nfastest|slowest\nstrongest|weakest\nbiggest|smallest\nabove|below\nhottest|coldest\ndeepest|shallowest
tallest|shortest\nrichest|poorest\nbusiest|quietest\ngreatest|smallest\nsuperior to|inferior to
""".replace("\\n", "\n")))
NO_ANTONYM_AFTER = {"early": "on in as", "late": "in", "first": "time name", "same": "time way", "high": "school court",
                    "public": "key", "open": "source", "fast": "food", "active": "duty", "old": "age", "new": "york zealand"}

NOUN_FAMILIES = groups("""
father|uncle|grandfather|brother\nmother|aunt|grandmother|sister\nson|nephew|brother|grandson\ndaughter|niece|sister
husband|brother|neighbour|cousin\nwife|sister|neighbour|cousin\nbrother|cousin|uncle\nsister|cousin|aunt\nfriend|rival|cousin
boy|girl\nman|woman\nking|prince|bishop|duke\nqueen|princess|duchess\nteacher|student|principal|librarian
doctor|nurse|lawyer|engineer\nlawyer|accountant|architect|surgeon\nactor|singer|dancer|painter\nactress|novelist|journalist
author|editor|translator|publisher\nwriter|painter|photographer\nplayer|coach|referee\nsinger|drummer|guitarist|producer
scientist|politician|journalist\nprofessor|student|dean\nminister|ambassador|mayor|governor\nsoldier|sailor|pilot
patient|doctor|nurse|volunteer\nfarmer|fisherman|miner|merchant\nengineer|architect|chemist\nphilosopher|mathematician|poet
president|vice president|treasurer|secretary\nchairman|treasurer|secretary\ncaptain|goalkeeper|manager\ndirector|producer|actor
film|novel|play|song\nmovie|book|musical\nbook|film|album|play\nnovel|poem|opera|film\nalbum|film|novel|single\nsong|poem|play
series|film|musical\nepisode|season|chapter\nguitar|piano|violin|drum\ngame|concert|festival\nbaseball|cricket|hockey|tennis
football|basketball|volleyball|rugby\nmagazine|newspaper|website\ncar|truck|bus|motorcycle\ntrain|bus|ship|plane
ship|submarine|aircraft\nboat|raft|helicopter\nbicycle|scooter|car\ndog|cat|horse|goat\ncat|rabbit|dog\nhorse|camel|donkey
bird|fish|lizard\ncattle|sheep|poultry\ncow|pig|sheep\nlion|tiger|leopard|wolf\nsnake|lizard|turtle\nmouse|rat|rabbit
house|church|hotel|school\nhotel|hospital|museum|library\nschool|hospital|prison|factory\nchurch|mosque|temple|theatre
hospital|school|laboratory\nmuseum|theatre|library|stadium\nbridge|tunnel|tower\nriver|lake|canal\nlake|river|glacier
mountain|valley|desert\nisland|peninsula|lake\nforest|desert|swamp\nvillage|city|suburb\ncity|village|island\ntown|island|port
county|province|parish\nuniversity|hospital|museum|bank\ncollege|monastery|seminary\nwater|oil|milk|wine\ncoffee|tea|beer
wine|beer|cider\ngold|silver|copper|iron\niron|copper|lead|zinc\nwood|stone|glass|plastic\nsteel|wood|concrete|aluminium
red|blue|green|yellow\nblue|orange|purple\nwhite|grey|brown\nblack|red|green\nsugar|salt|flour\nrice|wheat|maize|barley
meat|fish|cheese\nfruit|meat|bread\napple|pear|cherry\nheart|liver|lung|kidney\nkidney|lung|brain\nbrain|heart|spine
eye|ear|nose\nhand|foot|shoulder\narm|leg|neck\nskin|bone|muscle\ncancer|diabetes|asthma|stroke\ndiabetes|hypertension|arthritis
pneumonia|tuberculosis|hepatitis\nstroke|epilepsy|migraine\ndepression|insomnia|dementia\nobesity|malnutrition|smoking
fever|cough|nausea|headache\nvaccine|antibiotic|placebo\nsurgery|radiotherapy|medication\ndrug|device|diet\nvirus|bacterium|fungus
blood|urine|saliva\nserum|urine|saliva\nmale|female\nchild|adult|teenager\nadult|infant|child\nwinter|summer|autumn
morning|evening|afternoon\nnight|morning|afternoon\nwar|election|famine\nbattle|treaty|siege\nelection|war|trial\nstrike|parade
fire|flood|earthquake\nearthquake|hurricane|flood\nstorm|drought|flood\nrain|snow|fog\ntax|subsidy|loan\nloan|grant|tax
profit|loss|debt\nrevenue|debt|cost\nstock|bond|currency\nphone|camera|tablet|laptop\nsmartphone|laptop|camera\ncomputer|printer|camera
laptop|desktop|tablet\nserver|router|printer\nkeyboard|mouse|monitor\nbattery|antenna|screen\ncamera|microphone|speaker
image|sound|text\nvideo|photo|text\naudio|video|text\nemail|letter|phone call\nletter|telegram|diary\npassword|username|address
button|slider|dial\nremote|keyboard|joystick\nrubber|metal|leather|wood\nplastic|wood|titanium|glass\ntable|list|chart
server|client\nthread|process\ncolumn|row\nstring|integer|boolean\nfile|folder\nlinux|windows|macos\nencoder|decoder
classifier|regressor\nclassification|regression|translation\nsegmentation|translation|generation\nconvolution|attention|pooling
precision|recall|latency\naccuracy|latency|recall\nmean|median|variance\nphysics|chemistry|biology\nbiology|history|geography
history|mathematics|music\nmedicine|law|theology\nart|engineering|law\nmathematics|law|literature\neconomics|physics|linguistics
north|south\neast|west\nenergy|water|food\nelectricity|gas|steam\nsun|moon\nearth|moon|mars\nsummer|winter|spring
breakfast|dinner|lunch\nkitchen|bedroom|garage\nshirt|hat|coat\ndress|coat|hat\nleader|spokesman|founder\nmember|critic|founder
owner|tenant|employee\nemployee|customer|shareholder\ncustomer|supplier|employee\nteam|sponsor|league\naudience|jury|orchestra
judge|prosecutor|witness\npolice|army|navy\ncrew|passenger\npilot|passenger|mechanic\nthief|guard|witness\nvictim|witness|suspect
""".replace("\\n", "\n"))
