"""Handwritten word tables, for what the lexicon lacks or has only in a vague form."""

import re


def groups(text: str) -> list[list[str]]:
    """Parses groups separated by ';' or newlines into lists of words separated by '|'."""
    return [group.strip().split("|") for group in re.split(r"[;\n]", text.strip())]


def others(word_groups: list[list[str]]) -> dict[str, list[str]]:
    """Maps each word to the other words of its groups."""
    out: dict[str, list[str]] = {}
    for group in word_groups:
        for word in group:
            out.setdefault(word, []).extend(w for w in group if w != word)
    return out


IRREGULAR = {row[0]: (row[1], row[2]) for row in groups("""
be|was|been;become|became|become;begin|began|begun;break|broke|broken;bring|brought|brought
build|built|built;buy|bought|bought;choose|chose|chosen;come|came|come;cut|cut|cut;do|did|done
draw|drew|drawn;drive|drove|driven;eat|ate|eaten;fall|fell|fallen;feel|felt|felt;fight|fought|fought
find|found|found;fly|flew|flown;forbid|forbade|forbidden;forget|forgot|forgotten;get|got|got
give|gave|given;go|went|gone;grow|grew|grown;have|had|had;hear|heard|heard;hide|hid|hidden
hit|hit|hit;hold|held|held;keep|kept|kept;know|knew|known;lead|led|led;learn|learned|learned
leave|left|left;lend|lent|lent;let|let|let;lose|lost|lost;make|made|made;mean|meant|meant;meet|met|met
overcome|overcame|overcome;pay|paid|paid;put|put|put;read|read|read;ride|rode|ridden;rise|rose|risen
run|ran|run;say|said|said;see|saw|seen;sell|sold|sold;send|sent|sent;set|set|set;show|showed|shown
shrink|shrank|shrunk;shut|shut|shut;sing|sang|sung;sit|sat|sat;speak|spoke|spoken;spend|spent|spent
stand|stood|stood;steal|stole|stolen;sweep|swept|swept;take|took|taken;teach|taught|taught;tell|told|told
think|thought|thought;throw|threw|thrown;understand|understood|understood;wear|wore|worn;win|won|won
withdraw|withdrew|withdrawn;write|wrote|written;undergo|underwent|undergone;hurt|hurt|hurt;seek|sought|sought
arise|arose|arisen;bear|bore|borne;beat|beat|beaten;bind|bound|bound;blow|blew|blown;catch|caught|caught
cost|cost|cost;spread|spread|spread;shoot|shot|shot;sleep|slept|slept;strike|struck|struck;swim|swam|swum
wake|woke|woken;lie|lay|lain;lay|laid|laid;feed|fed|fed;freeze|froze|frozen;spring|sprang|sprung
""")}
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

# Maps the base form of a verb to verbs with the opposite meaning.
VERB_ANTONYMS = others(groups("""
increase|decrease;increase|reduce;rise|fall;win|lose;accept|reject;allow|prevent;allow|forbid;support|oppose
agree|disagree;begin|stop;start|stop;open|close;buy|sell;purchase|sell;add|remove;gain|lose;expand|shrink
improve|worsen;arrive|depart;enter|leave;appear|disappear;include|exclude;approve|reject;confirm|deny;like|dislike
love|hate;pass|fail;succeed|fail;attack|defend;encourage|discourage;strengthen|weaken;connect|disconnect
praise|criticise;promote|demote;hire|fire;join|leave;borrow|lend;import|export;build|destroy;create|destroy
reveal|conceal;show|hide;protect|endanger;enable|disable;enhance|impair;activate|inhibit;precede|follow
outperform|underperform;accelerate|slow;raise|lower;simplify|complicate;refuse|agree;admit|deny;remember|forget
survive|die;attract|repel;extend|shorten;grow|shrink;boost|reduce;facilitate|hinder
require|forbid;discover|overlook;maintain|abandon;exceed|fall below;sign|reject
"""))
# Maps the base form of a verb to verbs that fit in its place but mean something else.
VERB_ALTERNATIVES = others(groups("""
write|translate|review|illustrate;direct|finance|produce|review;propose|criticise|review;introduce|remove|criticise
develop|purchase|abandon;publish|translate|withdraw;found|buy|close;establish|dissolve|purchase;design|demolish|photograph
play|coach|watch;perform|cancel|film;study|teach|ignore;visit|leave|avoid;record|cancel|copy;release|cancel|record
sing|hear|reject;build|design|purchase;marry|sue|divorce;teach|study;evaluate|ignore;appoint|dismiss;elect|nominate
discover|steal|sell;invent|copy|ban;demonstrate|disprove;send|receive;conduct|cancel|criticise;witness|cause
explore|avoid|ignore;employ|sue;name|ban;train|test;award|deny;serve|abandon;star|sing;represent|betray
remain|cease to be;receive|refuse|request;launch|cancel|delay;select|reject;measure|predict|ignore
provide|request|withhold;offer|request|withhold;help|hinder|ignore;move|drive|return;store|delete;return|skip
present|withdraw|criticise;identify|rule out;contain|lack;require|lack;estimate|ignore;incorporate|avoid
generate|consume|store;inspire|annoy;compose|perform;feature|lack;capture|lose|free
"""))
VERBS = {w.split()[0] for d in (VERB_ANTONYMS, VERB_ALTERNATIVES) for w in d} | set("""say call use make work live name
show find study argue state suggest explain describe report propose present think want know believe discuss claim""".split())

ADJECTIVE_ANTONYMS = others(groups("""
large|small;big|small;high|low;old|new;young|old;early|late;hot|cold;warm|cool;strong|weak;positive|negative
successful|unsuccessful;safe|dangerous;major|minor;easy|difficult;simple|complex;fast|slow;public|private
legal|illegal;active|inactive;ancient|modern;common|rare;beneficial|harmful;domestic|foreign;able|unable
healthy|unhealthy;rich|poor;popular|unpopular;important|unimportant;northern|southern;eastern|western;male|female
internal|external;temporary|permanent;necessary|unnecessary;effective|ineffective;efficient|inefficient;stable|unstable
accurate|inaccurate;reliable|unreliable;willing|unwilling;satisfied|dissatisfied;happy|unhappy;senior|junior
upper|lower;urban|rural;possible|impossible;full|empty;expensive|cheap;heavy|light;wide|narrow;deep|shallow
significant|insignificant;sufficient|insufficient;available|unavailable;official|unofficial;aware|unaware
similar|different;same|different;correct|incorrect;consistent|inconsistent;direct|indirect;dependent|independent
familiar|unfamiliar;explicit|implicit;long-term|short-term;supervised|unsupervised;acute|chronic;dry|wet;rural|urban
professional|amateur;voluntary|mandatory;required|optional;prior|later;optimistic|pessimistic;likely|unlikely
fictional|real;visible|invisible;regular|irregular;appropriate|inappropriate;clear|unclear;relevant|irrelevant
adequate|inadequate;profitable|unprofitable;existing|future;unknown|well-known;famous|unknown;conservative|liberal
quiet|loud;useful|useless;powerful|powerless;guilty|innocent;open|closed;initial|final;first|last;unique|common
maximum|minimum;sufficient|inadequate;experienced|inexperienced;valuable|worthless;multiple|single;safer|riskier
"""))
ADVERB_ANTONYMS = others(groups("""
quickly|slowly;rapidly|slowly;frequently|rarely;often|rarely;usually|rarely;always|never;fully|partially
directly|indirectly;publicly|secretly;successfully|unsuccessfully;temporarily|permanently;daily|weekly;monthly|annually
early|late;nationally|locally;positively|negatively;significantly|slightly;widely|rarely;voluntarily|unwillingly
easily|barely;simultaneously|separately;immediately|much later;privately|publicly;slightly|greatly;strongly|weakly
"""))
COMPARATIVES = others(groups("""
higher|lower;larger|smaller;greater|smaller;bigger|smaller;earlier|later;older|younger;older|newer;better|worse
stronger|weaker;faster|slower;longer|shorter;warmer|colder;wider|narrower;richer|poorer;safer|riskier;easier|harder
heavier|lighter;cheaper|pricier;highest|lowest;largest|smallest;best|worst;earliest|latest;oldest|youngest
longest|shortest;fastest|slowest;strongest|weakest;biggest|smallest;above|below;hottest|coldest;deepest|shallowest
tallest|shortest;richest|poorest;busiest|quietest;greatest|smallest;superior to|inferior to
"""))
NO_ANTONYM_AFTER = {"early": "on in as", "late": "in", "first": "time name", "same": "time way", "high": "school court",
                    "public": "key", "open": "source", "fast": "food", "active": "duty", "old": "age", "new": "york zealand"}

NOUN_FAMILIES = groups("""
father|uncle|grandfather|brother;mother|aunt|grandmother|sister;son|nephew|brother|grandson;daughter|niece|sister
husband|brother|neighbour|cousin;wife|sister|neighbour|cousin;brother|cousin|uncle;sister|cousin|aunt;friend|rival|cousin
boy|girl;man|woman;king|prince|bishop|duke;queen|princess|duchess;teacher|student|principal|librarian
doctor|nurse|lawyer|engineer;lawyer|accountant|architect|surgeon;actor|singer|dancer|painter;actress|novelist|journalist
author|editor|translator|publisher;writer|painter|photographer;player|coach|referee;singer|drummer|guitarist|producer
scientist|politician|journalist;professor|student|dean;minister|ambassador|mayor|governor;soldier|sailor|pilot
patient|doctor|nurse|volunteer;farmer|fisherman|miner|merchant;engineer|architect|chemist;philosopher|mathematician|poet
president|vice president|treasurer|secretary;chairman|treasurer|secretary;captain|goalkeeper|manager;director|producer|actor
film|novel|play|song;movie|book|musical;book|film|album|play;novel|poem|opera|film;album|film|novel|single;song|poem|play
series|film|musical;episode|season|chapter;guitar|piano|violin|drum;game|concert|festival;baseball|cricket|hockey|tennis
football|basketball|volleyball|rugby;magazine|newspaper|website;car|truck|bus|motorcycle;train|bus|ship|plane
ship|submarine|aircraft;boat|raft|helicopter;bicycle|scooter|car;dog|cat|horse|goat;cat|rabbit|dog;horse|camel|donkey
bird|fish|lizard;cattle|sheep|poultry;cow|pig|sheep;lion|tiger|leopard|wolf;snake|lizard|turtle;mouse|rat|rabbit
house|church|hotel|school;hotel|hospital|museum|library;school|hospital|prison|factory;church|mosque|temple|theatre
hospital|school|laboratory;museum|theatre|library|stadium;bridge|tunnel|tower;river|lake|canal;lake|river|glacier
mountain|valley|desert;island|peninsula|lake;forest|desert|swamp;village|city|suburb;city|village|island;town|island|port
county|province|parish;university|hospital|museum|bank;college|monastery|seminary;water|oil|milk|wine;coffee|tea|beer
wine|beer|cider;gold|silver|copper|iron;iron|copper|lead|zinc;wood|stone|glass|plastic;steel|wood|concrete|aluminium
red|blue|green|yellow;blue|orange|purple;white|grey|brown;black|red|green;sugar|salt|flour;rice|wheat|maize|barley
meat|fish|cheese;fruit|meat|bread;apple|pear|cherry;heart|liver|lung|kidney;kidney|lung|brain;brain|heart|spine
eye|ear|nose;hand|foot|shoulder;arm|leg|neck;skin|bone|muscle;cancer|diabetes|asthma|stroke;diabetes|hypertension|arthritis
pneumonia|tuberculosis|hepatitis;stroke|epilepsy|migraine;depression|insomnia|dementia;obesity|malnutrition|smoking
fever|cough|nausea|headache;vaccine|antibiotic|placebo;surgery|radiotherapy|medication;drug|device|diet;virus|bacterium|fungus
blood|urine|saliva;serum|urine|saliva;male|female;child|adult|teenager;adult|infant|child;winter|summer|autumn
morning|evening|afternoon;night|morning|afternoon;war|election|famine;battle|treaty|siege;election|war|trial;strike|parade
fire|flood|earthquake;earthquake|hurricane|flood;storm|drought|flood;rain|snow|fog;tax|subsidy|loan;loan|grant|tax
profit|loss|debt;revenue|debt|cost;stock|bond|currency;phone|camera|tablet|laptop;smartphone|laptop|camera;computer|printer|camera
laptop|desktop|tablet;server|router|printer;keyboard|mouse|monitor;battery|antenna|screen;camera|microphone|speaker
image|sound|text;video|photo|text;audio|video|text;email|letter|phone call;letter|telegram|diary;password|username|address
button|slider|dial;remote|keyboard|joystick;rubber|metal|leather|wood;plastic|wood|titanium|glass;table|list|chart
server|client;thread|process;column|row;string|integer|boolean;file|folder;linux|windows|macos;encoder|decoder
classifier|regressor;classification|regression|translation;segmentation|translation|generation;convolution|attention|pooling
precision|recall|latency;accuracy|latency|recall;mean|median|variance;physics|chemistry|biology;biology|history|geography
history|mathematics|music;medicine|law|theology;art|engineering|law;mathematics|law|literature;economics|physics|linguistics
north|south;east|west;energy|water|food;electricity|gas|steam;sun|moon;earth|moon|mars;summer|winter|spring
breakfast|dinner|lunch;kitchen|bedroom|garage;shirt|hat|coat;dress|coat|hat;leader|spokesman|founder;member|critic|founder
owner|tenant|employee;employee|customer|shareholder;customer|supplier|employee;team|sponsor|league;audience|jury|orchestra
judge|prosecutor|witness;police|army|navy;crew|passenger;pilot|passenger|mechanic;thief|guard|witness;victim|witness|suspect
""")
