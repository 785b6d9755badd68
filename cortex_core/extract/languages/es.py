"""Spanish, of Spain and America; accents are folded."""

from __future__ import annotations

from cortex_core.extract.grammar import Forms, Grammar, start, whole, within

# “Usa” is an order and a report alike (“el script siempre usa”): no ending tells them apart, so the
# verbs of orders are listed, and count only where a clause begins.
_VERB = (
    r"(?:us|utili[zc]|ejecut|corr|prueb|prob|agreg|anad|mant|mantien|manten|respond|contest|evit"
    r"|revis|verific|verifiqu"
    r"|actuali[zc]|toc|toqu|modific|modifiqu|borr|elimin|sub|commite|pushe|document|nombr|llam|dej"
    r"|guard|coloc|coloqu"
    r"|import|instal|cambi|cre|incluy|inclu|pregunt|consult|asegur|asegurat|moque|mocke|formate"
    r"|desplieg|despliegu"
    r"|despleg|anot|escrib|escrib|hag|hac|pong|pon|lanc|lanz|log|registr|valid|comprueb|comprob"
    r"|trabaj|sig|sigu|segu"
    r"|renombr|quit|saqu|met|comet|abr|cierr|pas|gener|envi|trat|respet|prefier|prefer|termin"
    r"|coment|met|mezcl)"
    r"(?:a|o|e|es|as|en|an|ar|er|ir|emos|imos|ues|ad|ed|id|alo|ala|alos|elo|ate|arlo|erlo|te"
    r"|gas|ga|e?se)?"
    r"|haz|pon|ten|di|ve|manten|sal"
)
_NEVER = r"nunca|jamas|bajo ningun concepto|de ninguna manera|en ningun caso"
_CLAUSE = (
    r"(?:^\W*|[,;:.]\s*|(?<!\w)(?:y|o|pero|que|entonces|por favor|tambien|adelante|ahora|futuro"
    r"|commit|push|pr) )"
)
_USUAL = (
    r"usamos|utilizamos|guardamos|escribimos|desplegamos|ejecutamos|corremos|lanzamos|probamos"
    r"|llamamos|hacemos|pasamos"
    r"|trabajamos|seguimos|ponemos|subimos|generamos|importamos|mantenemos|versionamos|soportamos"
    r"|manejamos|tenemos"
)
_THING = (
    r"(?:commit\w*|push\w*|merge\w*|release\w*|despliegue\w*|deploy\w*|pr\w*|pull request\w*"
    r"|cambio\w*|archivo\w*"
    r"|fichero\w*|funcion\w*|test\w*|prueba\w*|migracion\w*|rama\w*|respuesta\w*|sesion\w*"
    r"|tarea\w*|endpoint\w*"
    r"|modulo\w*|vez que)"
)
_HERE = r"(?:proyecto|repo\w*|codigo|servicio|app|aplicacion|equipo)"

GRAMMAR = Grammar(
    code="es",
    empty=whole(
        r"el|la|los|las|un|una|unos|unas|y|o|pero|que|de|del|al|a|en|por|para|con|sin|no|si|es|son"
        r"|se|lo|le|les|me|te"
        r"|nos|mi|tu|su|este|esta|esto|ese|esa|eso|como|mas|muy|ya|siempre|nunca|hay|ser|esta"
        r"|estan|cuando|donde|porque"
        r"|por favor|favor|aqui|ahi|tambien|solo|recuerda|yo|ni|sino|hasta|desde|entre|todo|todos"
        r"|todas|toda"
    ),
    fillers=start(
        r"ok|okay|vale|bien|bueno|perfecto|genial|gracias|por favor|porfa|ademas|tambien|y|pero"
        r"|entonces|ah|oye|hola"
        r"|por cierto|claro|listo|excelente|importante|claude|una cosa mas|otra cosa|pues|mira|si"
        r"|dale"
    ),
    remember=start(
        r"(?:por favor,? )?(?:recuerda|recuerde|recordad|acuerdate|ten en cuenta|tenga en cuenta"
        r"|tener en cuenta|toma nota"
        r"|anota|apunta|no olvides|no te olvides|guarda en (?:la |tu )?memoria|memoriza"
        r"|para el futuro|para la proxima)"
        r"(?: de| esto| por favor)*(?: que)?"
    ),
    remember_last=within(
        r"(?:por favor )?(?:recuerdalo|acuerdate(?: de eso| de esto)?|tenlo en cuenta"
        r"|no lo olvides|apuntalo|anotalo"
        r"|recuerda (?:esto|eso))(?: por favor| para (?:siempre|el futuro|la proxima))*\W*$"
    ),
    remember_that=whole(
        r"(?:por favor,? )?(?:recuerdalo|acuerdate(?: de eso| de esto)?|tenlo en cuenta"
        r"|no lo olvides|apuntalo|anotalo"
        r"|recuerda (?:esto|eso))(?: por favor| para (?:siempre|el futuro|la proxima))*"
    ),
    informs=start(
        r"para tu informacion|para que (?:lo )?sepas|fyi|como contexto|contexto(?= ?:)"
        r"|para dar contexto|de contexto"
        r"|(?:se me )?olvid(?:e|o) (?:decirte|mencionar|comentar|decir)(?: que)?|nota(?= ?:)"
        r"|ojo(?= ?[:,])|te aviso(?: que)?"
        r"|aviso(?= ?:)|dato(?= ?:)|solo para que sepas"
    ),
    standing=within(rf"siempre|{_NEVER}|sin excepcion|en todo momento|cada vez"),
    lasting=within(
        r"a partir de ahora|de ahora en adelante|desde ahora|en adelante|en el futuro"
        r"|la proxima vez|por regla general"
        r"|como norma(?: general)?|por norma"
        rf"|(?:antes|despues) de (?:cada|todo|cualquier) {_THING}|(?:en|para|con|a) (?:cada|todo"
        rf"|toda|todos los|todas las)"
        rf" (?:nuev[oa]s? )?{_THING}|cada vez que|nunca mas|no (?:\S+ ){{1,3}}(?:nunca )?mas"
    ),
    orders=Forms(
        rf"{_CLAUSE}(?:(?:siempre|{_NEVER}) )*"
        rf"(?:no (?:(?:me|te|lo|la|los|las|se|nos|nunca) )*)?(?:{_VERB})(?!\w)"
        r"|(?<!\w)(?:debes|deberias|tienes que|hay que|necesito que|quiero que|asegurate"
        r"|hace falta|debemos|tenemos que)"
        rf"(?!\w)|(?<!\w)(?:{_USUAL}) (?:\w+ ){{0,3}}siempre(?!\w)"
        rf"|(?<!\w)(?:siempre|{_NEVER}|nunca) (?:\w+ ){{0,2}}(?:{_USUAL})(?!\w)|(?<!\w)(?:siempre"
        rf"|nunca) en (?:ingles|espanol)"
    ),
    forbids=within(
        r"prohibido|esta prohibido|no se (?:debe|debes|puede|toca)|no debes|no deberias|evita"
        r"|deja de|para de|ni se te ocurra"
        rf"|no (?:me |lo |la |los |las |te )?(?:{_VERB})"
    ),
    duty=within(
        r"debe|deben|debes|tiene que|tienen que|hay que|obligatori\w+|requiere|requieren|necesita"
        r"|solo|unicamente|exclusivamente"
        r"|no puede|no pueden|ningun\w*|es necesario|hace falta|debemos"
    ),
    universal=start(
        r"todos|todas|todo|toda|cada|cualquier|ningun|ninguna|ninguno|solo|solamente|unicamente"
    ),
    occasion=start(
        r"(?:cuando|si) (?:escribas|crees|agregues|anadas|cambies|modifiques|hagas|toques|subas"
        r"|vayas|escribes|cambias|no"
        r" (?:estes|sepas))|antes de|despues de|al (?:\w+(?:ar|er|ir))"
    ),
    condition=within(r"(?:solo|solamente|unicamente) (?:despues|cuando|si|tras|una vez)"),
    passing=within(r"todavia|aun|ya|ahora|pronto|rot[oa]s?"),
    restates=start(r"(?:es|son|la|lo|las|los)(?= (?!que\b))"),
    names=start(r"(?:(?:esta?|ella|el) )?se llaman?"),
    conventions=within(
        rf"(?:nosotros |aqui |(?:en|para) (?:este|nuestro|el) {_HERE} )(?:\S+ ){{0,6}}?(?:{_USUAL}"
        rf"|se usa|se usan|se utiliza"
        r"|solo|no se|convencion|regla)",
        rf"(?:no |solo |siempre )?(?:{_USUAL}) (?:\S+ ){{0,6}}?(?:en vez de|en lugar de|y no|no"
        rf"|con|para|desde|mediante|en|por"
        r"|solo|como|via)",
        r"(?:nuestra|la) (?:convencion|norma|regla)(?: aqui)? es|por convencion",
    ),
    located=within(
        r"esta en|estan en|vive en|viven en|se encuentra en|corre en|corren en|escucha en"
        r"|se guarda en|se guardan en"
        r"|se despliega|se ejecuta|se llama|se llaman|se genera|se lanza|esta alojad\w+|apunta a"
        r"|funciona en|se configura"
    ),
    replies_in=within(
        r"(?:responde(?:me)?|contesta(?:me)?|escribe|habla(?:me)?|comenta|respondeme|responder"
        r"|escribir|respuestas|comentarios"
        r"|commits|mensajes)\b.{0,40}?\ben (?:espanol|ingles|castellano)"
    ),
    no_longer=within(
        r"ya no (?:se )?(?:usa|usamos|utiliza|utilizamos|usan|existe|soportamos|necesitamos|esta)"
        r"|dejamos de usar"
        r"|esta obsolet\w+|quedo obsolet\w+|abandonamos"
    ),
    contrast=within(
        r"en vez de|en lugar de|no [^,]{1,60},? sino|no es [^,]{1,40}, es|sino"
        r"|, no \S+|y no (?:con|en|a|el|la|un) \S+"
        r"|mejor que"
    ),
    chooses=start(
        r"(?:usa|utiliza|emplea|vamos a usar|usemos|vamos con|quedemonos con|pon|llama|guarda"
        r"|escribe|elige|cambia a|mejor usa"
        r"|usar|utilizar)"
    ),
    prefers=within(
        r"prefiero|preferimos|preferiria|mi preferencia|me gusta(?:n|ria)? (?:mas|que)"
        r"|me gusta cuando|nos gusta"
    ),
    wishes=within(
        r"no quiero|no queremos|odio|detesto|no me gusta\w*|quiero que (?:todo|todos|cada"
        r"|el codigo|los)"
    ),
    decided=within(
        r"(?:hemos |ya )?(?:decidimos|decidido|acordamos|acordado|quedamos en|elegimos|elegido"
        r"|optamos por|optado por|migramos a"
        r"|nos quedamos con|he decidido|decidi)"
    ),
    reason=within(
        r"porque|ya que|dado que|para que|debido a|pues|asi que|si no|para (?:evitar|mantener|no"
        r"|poder|ahorrar)|en vez de"
        r"|en lugar de|puesto que|de lo contrario|por (?:compatibilidad|rendimiento|seguridad"
        r"|simplicidad)"
    ),
    causes=within(
        r"la causa (?:\w+ )?(?:es|era|esta)|el problema (?:es|era|esta|estaba)|se debe a que"
        r"|se debia a que"
        r"|resulta que|ocurre porque|falla porque"
    ),
    explains=start(r"porque|ya que|si no|de lo contrario|la razon|asi|el motivo"),
    asks=start(
        r"(?:y |pero |entonces )?(?:que(?! (?:no|se|los|las|el|la|todo|cada))|por que"
        r"|como(?! (?:siempre|norma|contexto|regla))|cual"
        r"|cuales|quien|donde esta|cuando (?:es|se)|cuanto|puedes|podrias|podemos|deberia(?:mos)?"
        r"|hay alguna|es posible|sabes|crees"
        r"|tienes idea|esta bien)"
    ),
    requests=start(r"(?:puedes|podrias|me puedes|puede)(?: por favor)?"),
    one_off=within(
        r"por ahora|de momento|por el momento|ahora mismo|ahorita|hoy|manana|ayer|esta vez"
        r"|temporalmente|luego|mas tarde|despues"
        r"(?! de (?:cada|todo|que))|actualmente|en este momento|todavia|aun no"
        r"|(?:en|para|con) est[ea] (?:tarea|rama|commit|pr|archivo|fichero|sesion|cambio|caso|paso"
        r"|funcionalidad)"
        r"|hasta que|cuando (?:termines|acabes|este listo|esten|pasen|lo tengas)"
        r"|una vez que (?:termines|pasen)"
        r"|antes de (?:empezar|continuar|seguir)|solo (?:lee|mira|analiza|explica|responde|revisa)"
        r"|una vez mas|otra vez|^seguimos con"
        r"|de nuevo|continua|sigue|adelante(?! (?:usa|haz|escribe))(?<!en adelante)"
        r"|la semana pasada|ahora (?:haz|ejecuta|corre)"
    ),
    hedges=within(
        r"quiza|quizas|tal vez|a lo mejor|puede que|podria ser|parece|pareceria|creo que|supongo"
        r"|probablemente|posiblemente"
        r"|no estoy seguro|no se si|seguramente|diria que|me parece"
    ),
    pronouns=start(
        rf"(?:(?:y|pero|entonces|asi) )*(?:(?:est[eao]s?|es[eao]s?|aquell?[ao]s?)(?! {_HERE})|ello"
        rf"|ellos|el (?=es |esta |debe )"
        r"|lo mismo|ahi|alli|ambos|eso|asi)"
    ),
    away=within(
        r"(?:est|es)(?:e|a|os|as) (?:archivo|fichero|funcion|error|problema|opcion|enfoque|test"
        r"|prueba|linea|codigo|boton|bug"
        r"|solucion|parte|cambio|rama|commit|metodo|idea)\w*",
        r"(?:primer|segund|tercer|ultim|siguiente|anterior|otr)[oa]? (?:opcion|enfoque|solucion"
        r"|idea|linea|boton|paso|punto"
        r"|propuesta|archivo|fichero)|(?:opcion|solucion|propuesta) (?:\d|[a-d])|como (?:arriba"
        r"|dijiste|propones)|lo que (?:dijiste"
        r"|propones)|(?:esto|eso|asi|aqui|ahi)\W*$",
    ),
    objection=Forms(
        r"^\W*(?:(?:no|incorrecto|mal|eso no es (?:correcto|cierto|asi)|no es (?:correcto|cierto"
        r"|asi)|te equivocas"
        r"|en realidad|de hecho|no exactamente|error|falso)(?=\s*[,.:;!—-])|(?:en realidad"
        r"|de hecho)(?!\w)"
        r"|(?=no (?:es )?[^,]{1,40},? sino ))"
    ),
    assent=whole(
        r"(?:si|vale|ok|okay|claro|de acuerdo|correcto|exacto|bien|perfecto|dale|adelante|hazlo"
        r"|sigue|continua|genial|listo"
        r"|esta bien|me parece bien|por favor|gracias|eso es)(?:[\s,.!]+(?:si|por favor|gracias"
        r"|hazlo|adelante|claro|perfecto))*"
    ),
    agenda=within(
        r"(?:quieres|deseas|prefieres) que|puedo|debo (?:continuar|seguir)|continuar|continuo"
        r"|procedo|hago (?:el )?(?:commit|push)"
        r"|commit|push|que (?:hago|sigue|quieres que)|siguiente\w* paso\w*|por donde empiezo"
        r"|te parece bien|es correcto|esta bien"
    ),
    undecided=whole(
        r"me da igual|da igual|como quieras|lo que quieras|decide tu|tu decides|no se|no lo se"
        r"|ni idea|cualquiera|saltalo"
        r"|despues|luego|ambos|no|nada|ninguno|lo dejo a tu criterio"
    ),
    concedes=within(
        r"tienes (?:toda la |mucha )?razon|tiene (?:toda la |mucha )?razon|mi error|me equivoque"
        r"|lo siento|perdon|disculpa\w*"
        r"|gracias por (?:la correccion|corregirme|la aclaracion|aclarar\w*)|buen punto"
        r"|entendi mal|fue un error mio"
    ),
    first_person=within(r"yo|me|mi|mis|vamos|voy"),
    second_person=within(r"tu|te|ti|tus|contigo|usted|vosotros|claude"),
    no_access=within(
        r"no (?:tienes|tendras|vas a tener) (?:\w+ )?(?:acceso|permiso\w*)|no puedes (?:acceder"
        r"|usar|ejecutar|conectarte|ver)"
        r"|(?:aqui|en esta maquina|en ci|en el servidor) no (?:hay|esta|tenemos)"
        r"|no esta(?:n)? (?:instalad\w+|disponible\w*)"
        r"|sin acceso a"
    ),
    everywhere=within(
        r"en todos (?:mis|los) proyectos|en cualquier proyecto|globalmente|en cada proyecto"
    ),
)
