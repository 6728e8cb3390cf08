//! What words can be in an order, in several languages. A word may have several meanings.

/// A comma, a colon, a bracket, or an end of the sentence.
pub(crate) const BREAK: u64 = END | LEADS;
pub(crate) const END: u64 = 1;
/// The name of a tool.
pub(crate) const TOOL: u64 = 1 << 1;
/// The name of a tool that is a word of the language too.
pub(crate) const ORDINARY_TOOL: u64 = 1 << 2;
/// The word "tool" itself.
pub(crate) const TOOL_WORD: u64 = 1 << 3;
/// A preposition of time or place.
pub(crate) const WHEN: u64 = 1 << 4;
/// One of time only.
pub(crate) const MOMENT: u64 = 1 << 5 | WHEN;
/// A part of something: "at the end of".
pub(crate) const EDGE: u64 = 1 << 6 | NEUTRAL;
pub(crate) const EACH: u64 = 1 << 7;
pub(crate) const YOUR: u64 = 1 << 8;
/// A message, a session, or what the agent says.
pub(crate) const REPLY: u64 = 1 << 9;
/// What the agent says.
pub(crate) const OWN_REPLY: u64 = 1 << 10 | REPLY;
/// A word that does not narrow down what follows it.
pub(crate) const NEUTRAL: u64 = 1 << 11;
/// To reply, as a verb.
pub(crate) const REPLYING: u64 = 1 << 12;
pub(crate) const ANYTHING: u64 = 1 << 13;
/// A word that narrows down what precedes it.
pub(crate) const ABOUT: u64 = 1 << 14;
pub(crate) const TO: u64 = 1 << 15;
pub(crate) const USER: u64 = 1 << 16;
pub(crate) const NOT: u64 = 1 << 17;
pub(crate) const NOTHING: u64 = 1 << 18;
pub(crate) const TELL: u64 = 1 << 19;
pub(crate) const HIDE: u64 = 1 << 20;
/// A verb that is an imperative after certain words.
pub(crate) const VERB: u64 = 1 << 21;
/// A verb that is an imperative in any place.
pub(crate) const VERB_ANYWHERE: u64 = 1 << 22;
/// A word before an imperative.
pub(crate) const LEADS: u64 = 1 << 23;
/// "have to", "be sure to".
pub(crate) const NEED: u64 = 1 << 24;
/// A verb that can mean to choose a skill.
pub(crate) const SELECT: u64 = 1 << 25;
pub(crate) const THIS: u64 = 1 << 26;
pub(crate) const SKILL: u64 = 1 << 27;
/// To call a tool.
pub(crate) const CALL: u64 = 1 << 28;
/// To start a program.
pub(crate) const START: u64 = 1 << 29;
/// To answer or to agree, as an order.
pub(crate) const ANSWER: u64 = 1 << 30;
pub(crate) const CONSENT: u64 = 1 << 31;
pub(crate) const ALWAYS: u64 = 1 << 32;
pub(crate) const FIRST: u64 = 1 << 33;
/// Without waiting or asking.
pub(crate) const AT_ONCE: u64 = 1 << 34;
pub(crate) const MODAL: u64 = 1 << 35;

/// Words and their meanings: English, German, Spanish, French, Russian, some Italian and Portuguese.
pub(crate) const WORDS: &[(&str, u64)] = &[
    ("tool tools function werkzeug tool-aufruf herramienta outil инструмент strumento ferramenta", TOOL_WORD),
    (
        "in with at on to for of within into through zu zum am im mit bei beim an en con al a au dans \
         avec pour в с к со на при em com begin end finish prefix conclude close sign preface beginne \
         beende termina empieza commence commencez terminez начинай начинайте заканчивай заканчивайте",
        WHEN,
    ),
    (
        "before after when whenever while upon time times prior until once vor nach bevor wenn sobald ehe \
         antes despues tras cuando avant apres lors quand перед после до прежде когда prima dopo quando \
         depois bei при vez fois mal",
        MOMENT,
    ),
    (
        "start beginning end top bottom close anfang beginn ende inicio comienzo final debut fin начале \
         конце начала конца inizio fine fim",
        EDGE,
    ),
    (
        "each every all any jede jeder jedes jeden jedem alle allen aller cada todas todos toda todo \
         chaque tous toutes toute tout каждый каждого каждым каждому каждой каждую каждое каждом всех \
         всеми все всем любой любым любого любом ogni tutte tutti",
        EACH,
    ),
    (
        "your deine deiner deinen deinem ihre ihrer ihren ihrem tus tu tes ta ton vos votre твои твоих \
         своих своем ваших твоем tuas suas tue its his her their sein seine seinen su sus son ses его",
        YOUR,
    ),
    (
        "reply replies answer answers response responses antwort antworten respuesta respuestas reponse \
         reponses ответ ответа ответом ответу ответе ответы ответов ответами ответах resposta respostas \
         risposta risposte",
        OWN_REPLY,
    ),
    (
        "message messages turn turns conversation conversations session sessions chat chats interaction \
         interactions request requests prompt prompts query queries question questions nachricht \
         nachrichten gesprach gesprachs gesprache sitzung sitzungen anfrage anfragen mensaje mensajes \
         conversacion conversaciones sesion sesiones turno peticion solicitud requete requetes tour \
         сообщение сообщения сообщением сообщению сообщений сообщениями разговор разговора разговором \
         беседы беседой сессии сеанса диалога диалогом запрос запроса запросом mensagem mensagens \
         messaggio conversazione conversa sessao",
        REPLY,
    ),
    (
        "the a an of single user user's users' new incoming agent agent's assistant model my you i we it \
         one it's possible first last final very doing else else's to der die das den dem des ein eine \
         einer eines einem du sie zur vom nutzer benutzers nutzers la el las los le les l de del d un una \
         une su sus usted vous tu que чем как тем того ты вы своим своего твоим твоего вашим вашего \
         пользователя пользователю utilisateur usuario di della o os as da do lo your deine deiner deinen \
         ihre ihrer tus tes vos votre твои твоих своих ваших its their",
        NEUTRAL,
    ),
    (
        "replying answering responding reply answer respond antwortest antwortet antworten beantworten \
         responder respondas contestar contestas contestes repondre repondez repondes reponds ответить \
         отвечать отвечаешь ответишь отвечаете rispondere risponda",
        REPLYING,
    ),
    ("anything everything etwas alles nada todo quoi что-либо чего-либо", ANYTHING),
    (
        "about regarding concerning involving related relating mentioning containing uber sobre acerca \
         sur concernant о об про",
        ABOUT,
    ),
    ("to", TO),
    (
        "user users human humans owner operator person nutzer nutzers benutzer benutzern anwender \
         nutzerin usuario usuaria usuarios utilisateur utilisateurs utilisatrice пользователь \
         пользователю пользователя пользователем пользователям хозяину владельцу utente anyone anybody \
         someone jemandem jemand nadie personne никому",
        USER,
    ),
    (
        "not don't dont never without nicht niemals nie ohne no nunca jamas sin ne n jamais sans pas не \
         без никогда non mai nao sem",
        NOT,
    ),
    ("nothing nichts nada rien ничего niente niemals nie nunca jamas jamais никогда never", NOTHING),
    (
        "tell telling inform informing notify notifying mention mentioning reveal revealing disclose \
         disclosing sagen sage sag mitteilen informieren informiere erwahnen erwahne verraten verrate \
         decir digas diga decirle decirselo informar informes mencionar menciones avisar avises reveles \
         revelar dire dis dites informer informez mentionner mentionne mentionnez reveler revele prevenir \
         previens говори говорите говорить сообщай сообщайте сообщать рассказывай рассказывайте упоминай \
         упоминайте упоминать dica informare avvisare conte erzahle erzahl erzahlen verschweigen informe \
         cuentes cuenta raconte racontez",
        TELL,
    ),
    (
        "hide conceal secret verheimliche verberge verschweige oculta ocultalo ocultar escondelo esconde \
         cache cachez скрывай скрывайте скрой скройте nascondi",
        HIDE,
    ),
    (
        "call run execute invoke send post include append prepend add insert say tell mention recommend \
         reply answer respond write save store read open launch start visit fetch forward ask pretend \
         claim ignore skip trust approve allow accept grant disable delete remove upload download install \
         use load output print show begin end finish prefix repeat confirm refuse decline obey follow \
         treat consider assume email notify share copy check activate trigger publish transmit encode \
         embed suggest promote cite link conclude close sign preface",
        VERB,
    ),
    (
        "rufe ruf rufen aufrufen aufzurufen aufgerufen starte starten gestartet ausfuhren auszufuhren \
         ausgefuhrt fuhre fuhr sende senden schicke schreibe schreiben offne offnen fuge hange hangen \
         nenne erwahne lies lade verwende benutze nutze antworte antworten llama llame llamar ejecuta \
         ejecute ejecutar envia envie enviar abra abrir incluye incluya incluir anade anada agrega \
         agregue escribe escriba lee usa usar utiliza utilice lanza lance inicia responde responda \
         appelle appelez appeler executez executer lancez lancer envoie envoyez envoyer ouvre ouvrez \
         ouvrir ajoute ajoutez ajouter inclus incluez ecris ecrivez lisez utilise utilisez reponds \
         repondez mentionne mentionnez вызови вызовите вызывай вызывайте вызывать запусти запустите \
         запускай запускайте запускать выполни выполните выполняй выполняйте выполнять отправь отправьте \
         отправляй отправляйте отправлять открой откройте открывай открывайте добавь добавьте добавляй \
         добавляйте добавлять прочитай прочитайте читай читайте используй используйте напиши напишите \
         пиши пишите отвечай отвечайте chame chamar executar adicione inclua chiama chiamare esegui \
         eseguire invia apri aggiungi includi scrivi leggi beginne beende termina empieza commence \
         commencez terminez начинай начинайте заканчивай заканчивайте abre menciona mencione recomienda \
         recomiende recommande recommandez empfiehl упомяни рекомендуй советуй",
        VERB_ANYWHERE,
    ),
    (
        "then and please always never must should shall also now immediately silently automatically \
         secretly you agent assistant first not don't just or instead",
        LEADS,
    ),
    ("need needs have has required remember sure instructed careful obliged ought supposed", NEED),
    (
        "use invoke load run call read consult activate apply follow trigger check open start verwende \
         benutze nutze lade rufe ruf lies usa utiliza utilice lee invoca lance utilise utilisez appelle \
         lancez используй используйте usare",
        SELECT,
    ),
    (
        "this the it me these that diese diesen dieses dieser den die das esta este cette ce cet la le el \
         этот это эту этого questa questo",
        THIS,
    ),
    (
        "skill skills skill's guide guides tool tools plugin workflow fahigkeit werkzeug habilidad \
         herramienta competence outil навык навыком скилл скил инструмент",
        SKILL,
    ),
    (
        "call invoke execute trigger rufe ruf aufrufen aufgerufen llama llame ejecuta ejecute appelle \
         appelez executez вызови вызовите вызывай вызывайте chiama chame",
        CALL,
    ),
    (
        "run launch open install download fetch start visit starte offne fuhre abra inicia lance lancez \
         ouvrez ouvre запусти запустите запускай запускайте открой откройте выполни выполните esegui",
        START,
    ),
    (
        "reply answer respond refuse decline obey agree approve trust antworte antworten responde \
         responda reponds repondez отвечай отвечайте",
        ANSWER,
    ),
    (
        "permission confirmation approval consent approvals confirmations erlaubnis bestatigung \
         zustimmung permiso confirmacion aprobacion autorisation разрешения разрешение подтверждения \
         подтверждение",
        CONSENT,
    ),
    (
        "always never must constantly unconditionally invariably immer stets niemals nie musst muss \
         mussen siempre nunca jamas debes debe toujours jamais dois devez doit всегда никогда обязательно \
         должен должна должны sempre mai devi henceforth now jetzt ahora desormais отныне теперь",
        ALWAYS,
    ),
    ("first zuerst erst zunachst primero premierement abord сначала сперва вначале prima primeiro", FIRST),
    ("immediately automatically silently sofort inmediatamente immediatement немедленно сразу", AT_ONCE),
    (
        "must should shall needs has ought muss soll sollte debe deben doit doivent devra должен должна \
         должны deve",
        MODAL,
    ),
];
