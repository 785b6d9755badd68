"""Portuguese, Brazilian for the most part; accents are folded."""

from __future__ import annotations

from cortex_core.extract.grammar import Forms, Grammar, start, whole, within

# “Usa” and “use” are orders and reports alike: no ending tells them apart, so the verbs of orders
# are listed, and count only where a clause begins.
_VERB = (
    r"(?:us|utiliz|rod|execut|test|adicion|mantenh|mant|respond|evit|verifiqu|verific|atualiz|mex"
    r"|toqu|toc|alter|apagu|apag|remov"
    r"|sub|commit|comit|document|nomei|nom|cham|deix|guard|coloqu|coloc|import|instal|mud|cri"
    r"|inclu|pergunt|garant|format|implant"
    r"|anot|escrev|fac|faz|fiz|ponh|log|registr|valid|trabalh|sig|segu|renomei|tir|mescl|abr|fech"
    r"|pass|ger|envi|trat|respeit|prefir"
    r"|prefer|coment|mock|lanc|deploy|bot|pux|empurr|delet|reescrev|cubr|rode|acess)"
    r"(?:a|o|e|es|as|em|am|ar|er|ir|emos|imos|ue|a-?se|e-?se|a-?lo|ia)?"
    r"|faz|por|tenha|diga|va|de|seja|esteja|certifique-se|garanta"
)
_NEVER = r"nunca|jamais|de jeito nenhum|em hipotese alguma|de forma alguma|em nenhum caso"
_CLAUSE = (
    r"(?:^\W*|[,;:.]\s*|(?<!\w)(?:e|ou|mas|que|entao|por favor|tambem|diante|agora|futuro|commit"
    r"|push|pr) )"
)
_USUAL = (
    r"usamos|utilizamos|guardamos|escrevemos|fazemos|rodamos|executamos|testamos|chamamos"
    r"|trabalhamos|seguimos|colocamos|subimos"
    r"|geramos|importamos|mantemos|versionamos|suportamos|temos|a gente (?:usa|roda|faz|escreve"
    r"|guarda|deixa|testa|sobe|chama)"
)
_THING = (
    r"(?:commit\w*|push\w*|merge\w*|release\w*|deploy\w*|pr\w*|pull request\w*|mudanca\w*"
    r"|alteracao\w*|arquivo\w*|funca\w*|teste\w*"
    r"|migration\w*|migracao\w*|branch\w*|resposta\w*|sessao\w*|tarefa\w*|endpoint\w*|modulo\w*"
    r"|vez que)"
)
_HERE = r"(?:projeto|repo\w*|codigo|servico|app|aplicacao|time|equipe)"

GRAMMAR = Grammar(
    code="pt",
    empty=whole(
        r"o|a|os|as|um|uma|uns|umas|e|ou|mas|que|de|do|da|dos|das|em|no|na|nos|nas|por|pelo|pela"
        r"|para|pra|com|sem|nao|se|sao|lo"
        r"|me|te|meu|minha|seu|sua|este|esta|isto|esse|essa|isso|como|mais|muito|ja|sempre|nunca"
        r"|ha|ser|estao|quando|onde|porque"
        r"|por favor|favor|aqui|ai|tambem|so|lembre|eu|nem|ate|desde|entre|todo|todos|todas|toda"
        r"|ao|aos|voce|a gente|tem"
    ),
    fillers=start(
        r"ok|okay|certo|bem|bom|perfeito|otimo|obrigad[oa]|valeu|por favor|pfv|alem disso|tambem|e"
        r"|mas|entao|ah|oi|ola|alias"
        r"|claro|beleza|blz|legal|importante|claude|mais uma coisa|outra coisa|olha|sim|show"
        r"|a proposito"
    ),
    remember=start(
        r"(?:por favor,? )?(?:lembre(?:-se)?|lembra(?:-te)?|se lembre|tenha em mente|tem em mente"
        r"|leve em conta|anote|anota|guarde na"
        r" memoria|memorize|nao (?:se )?esqueca|nao esquece|tome nota|para o futuro|pro futuro"
        r"|fique sabendo)"
        r"(?: de| disso| isso| por favor)*(?: que)?"
    ),
    remember_last=within(
        r"(?:por favor )?(?:lembre(?:-se)? disso|lembra disso|tenha isso em mente"
        r"|nao (?:se )?esqueca disso|anote isso|anota isso"
        r"|guarde isso)(?: por favor| para (?:sempre|o futuro))*\W*$"
    ),
    remember_that=whole(
        r"(?:por favor,? )?(?:lembre(?:-se)? disso|lembra disso|tenha isso em mente"
        r"|nao (?:se )?esqueca disso|anote isso|anota isso"
        r"|guarde isso)(?: por favor| para (?:sempre|o futuro))*"
    ),
    informs=start(
        r"para sua informacao|pra sua informacao|so pra voce saber|para voce saber|fyi"
        r"|como contexto|contexto(?= ?:)|para contexto"
        r"|(?:eu )?esqueci de (?:dizer|falar|mencionar|avisar)(?: que)?|nota(?= ?:)|aviso(?= ?:)"
        r"|obs(?= ?[:.])|so avisando(?: que)?"
        r"|para referencia"
    ),
    standing=within(rf"sempre|{_NEVER}|sem excecao|o tempo todo|toda vez"),
    lasting=within(
        r"a partir de agora|de agora em diante|daqui (?:pra|para) (?:a )?frente|daqui em diante"
        r"|no futuro|da proxima vez|via de regra"
        rf"|como regra|(?:antes|depois) de (?:cada|todo|toda|qualquer) {_THING}|(?:em|para|com"
        rf"|a) (?:cada|todo|toda|todos os|todas as)"
        rf" (?:nov[oa]s? )?{_THING}|toda vez que|sempre que|nunca mais"
        rf"|nao (?:\S+ ){{1,3}}(?:nunca )?mais"
    ),
    orders=Forms(
        rf"{_CLAUSE}(?:(?:sempre|{_NEVER}) )*(?:nao (?:(?:me|te|se|nunca) )*)?(?:{_VERB})(?!\w)"
        r"|(?<!\w)(?:voce deve|deve-se|tem que|tem de|precisa|precisamos|quero que voce"
        r"|certifique-se|garanta|devemos|temos que)(?!\w)"
        rf"|(?<!\w)(?:{_USUAL}) (?:\w+ ){{0,3}}sempre(?!\w)|(?<!\w)(?:sempre"
        rf"|{_NEVER}) (?:\w+ ){{0,2}}(?:{_USUAL})(?!\w)"
        r"|(?<!\w)(?:sempre|nunca) em (?:ingles|portugues)"
    ),
    forbids=within(
        r"proibido|nao se (?:deve|pode)|nao deve|nao pode mexer|evite|pare de|para de"
        r"|de jeito nenhum"
        rf"|nao (?:me |se )?(?:{_VERB})"
    ),
    duty=within(
        r"deve|devem|tem que|tem de|precisa(?:m)?|obrigatori\w+|requer|requerem|so|apenas|somente"
        r"|exclusivamente|nao pode|nao podem"
        r"|nenhum\w*|e necessario|devemos|temos que"
    ),
    universal=start(r"todos|todas|todo|toda|cada|qualquer|nenhum|nenhuma|so|apenas|somente"),
    occasion=start(
        r"(?:quando|se|ao) (?:voce )?(?:for|escrever|criar|adicionar|mudar|alterar|fizer|mexer"
        r"|subir|fazer|commitar|nao souber|tiver"
        r" duvida)|antes de|depois de"
    ),
    condition=within(r"(?:so|somente|apenas) (?:depois|quando|se|apos|uma vez)"),
    passing=within(r"ainda|ja|agora|em breve|quebrad\w+"),
    restates=start(r"(?:e|sao)(?= \w)"),
    names=start(r"(?:(?:ela|ele) )?(?:se chamam?|chama-se)"),
    conventions=within(
        rf"(?:nos |aqui |(?:neste|nesse|no|nosso) {_HERE} )(?:\S+ ){{0,6}}?(?:{_USUAL}|se usa"
        rf"|usa-se|so|apenas|nao se|convencao|regra)",
        rf"(?:nao |so |sempre )?(?:{_USUAL}) (?:\S+ ){{0,6}}?(?:em vez de|ao inves de|e nao|nao"
        rf"|com|pra|para|por|via|em|no|na|so|apenas"
        r"|como)",
        r"(?:nossa|a) (?:convencao|regra|norma)(?: aqui)? e|por convencao",
    ),
    located=within(
        r"fica em|fica no|fica na|ficam em|ficam no|ficam na|esta em|esta no|esta na|estao em"
        r"|estao no|estao na|roda em|roda no|roda na"
        r"|rodam em|escuta em|escuta na|se chama|chama-se|e gerad\w+|e hospedad\w+|aponta para"
        r"|e salv\w+ em|mora em|vive em"
    ),
    replies_in=within(
        r"(?:responda|responde|escreva|escreve|fale|fala|comente|respostas|comentarios|commits"
        r"|mensagens)\b.{0,40}?\bem (?:portugues"
        r"|ingles|pt-br)"
    ),
    no_longer=within(
        r"nao (?:se )?(?:usa|usamos|utilizamos|existe|suportamos|precisamos"
        r"|usam)(?: \S+){0,3} mais|nao usamos mais|paramos de usar"
        r"|ja nao (?:usamos|usa|existe)|ficou obsolet\w+|esta obsolet\w+|abandonamos"
        r"|deixamos de usar"
    ),
    contrast=within(
        r"em vez de|ao inves de|no lugar de|nao [^,]{1,60},? (?:e sim|mas sim|mas)|e sim|, nao \S+"
        r"|e nao (?:com|em|no|na|o|a|um) \S+"
    ),
    chooses=start(
        r"(?:use|usa|utilize|vamos usar|vamos com|vamos de|coloque|chame|guarde|escreva|escolha"
        r"|mude para|melhor usar|usar|utilizar)"
    ),
    prefers=within(
        r"prefiro|preferimos|preferiria|minha preferencia|gosto mais|eu gosto (?:quando|de que)"
        r"|gostamos mais|a gente prefere"
    ),
    wishes=within(
        r"nao quero|nao queremos|odeio|detesto|nao gosto|quero que (?:todo|todos|cada|o codigo|os)"
    ),
    decided=within(
        r"(?:nos |a gente |ja )?(?:decidimos|decidiu|combinamos|acordamos|escolhemos|optamos por"
        r"|migramos para|ficamos com|foi decidido"
        r"|decidi|resolvemos|fechamos com)"
    ),
    reason=within(
        r"porque|ja que|pois|para que|devido a|por causa|senao|para (?:evitar|manter|nao|poder"
        r"|economizar)|pra (?:evitar|manter|nao)"
        r"|em vez de|ao inves de|caso contrario|visto que|uma vez que"
    ),
    causes=within(
        r"a causa (?:\w+ )?(?:e|era|esta)|o problema (?:e|era|esta|estava)|se deve ao fato"
        r"|acontece porque|falha porque"
        r"|descobri que|causado por"
    ),
    explains=start(r"porque|ja que|pois|senao|caso contrario|o motivo|a razao|assim"),
    asks=start(
        r"(?:e |mas |entao )?(?:o que|que(?! (?:nao|se|os|as|o|a|todo|cada))|por que|porque (?:o|a"
        r"|isso)|como(?! (?:sempre|regra|contexto))"
        r"|qual|quais|quem|onde (?:esta|fica)|quando (?:e|vai)|quanto|voce (?:pode|poderia"
        r"|consegue|sabe|acha)|pode(?:ria)?|podemos|devo"
        r"|tem algum|sera que|da pra|consegue|esta certo)"
    ),
    requests=start(r"(?:voce )?(?:pode|poderia|consegue|podes)(?: por favor)?"),
    one_off=within(
        r"por enquanto|por ora|no momento|agora mesmo|hoje|amanha|ontem|desta vez|dessa vez"
        r"|temporariamente|depois(?! de (?:cada|tod))"
        r"|mais tarde|atualmente|neste momento|ainda nao"
        r"|(?:nest|ness|para est|para ess|dest|dess)[ea] (?:tarefa|branch|commit|pr|arquivo|sessao"
        r"|mudanca|caso|passo|feature)"
        r"|ate que|ate eu|quando (?:terminar|acabar|estiver pronto|os testes|tiver)"
        r"|assim que (?:terminar|os)"
        r"|antes de (?:comecar|continuar|seguir)|(?:so|apenas) (?:leia|olhe|analise|explique"
        r"|responda|veja)|mais uma vez|de novo"
        r"|novamente|continue|continua|semana passada|agora (?:faca|rode|execute|crie)"
    ),
    hedges=within(
        r"talvez|quem sabe|pode ser|poderia ser|parece|acho que|acredito que|suponho|provavelmente"
        r"|possivelmente|nao tenho certeza"
        r"|nao sei se|imagino que|me parece"
    ),
    pronouns=start(
        rf"(?:(?:e|mas|entao|assim) )*(?:(?:est[ea]s?|ess[ea]s?|isso|isto|aquil[oa]"
        rf"|aquel[ea]s?)(?! {_HERE})|ele|ela|eles|elas|o mesmo"
        r"|la|ali|ambos|assim)"
    ),
    away=within(
        r"(?:n|d)?(?:est|ess)(?:e|a|es|as) (?:arquivo|funca|erro|problema|opca|abordagem|teste"
        r"|linha|codigo|botao|bug|soluca|parte"
        r"|mudanca|branch|commit|metodo|ideia)\w*",
        r"(?:primeir|segund|terceir|ultim|proxim|anterior|outr)[oa]? (?:opcao|abordagem|solucao"
        r"|ideia|linha|botao|passo|ponto|proposta"
        r"|arquivo)|(?:opcao|solucao|proposta) (?:\d|[a-d])|como (?:acima|voce disse)|(?:isso|isto"
        r"|assim|aqui|ali)\W*$",
    ),
    objection=Forms(
        r"^\W*(?:(?:nao|errado|incorreto|isso nao (?:esta|e) (?:certo|correto|verdade)"
        r"|nao e (?:isso|assim)|voce se enganou|na verdade"
        r"|de fato|nao exatamente|erro|falso)(?=\s*[,.:;!—-])|(?:na verdade)(?!\w)"
        r"|(?=nao (?:e )?[^,]{1,40},? (?:e sim|mas sim) ))"
    ),
    assent=whole(
        r"(?:sim|ok|okay|claro|certo|correto|exato|isso|bem|perfeito|beleza|blz|pode|pode ser|vai"
        r"|manda ver|faz isso|faca isso|segue"
        r"|continua|continue|otimo|pronto|concordo|por favor|obrigad[oa]|valeu"
        r"|show)(?:[\s,.!]+(?:sim|por favor|obrigad[oa]|pode"
        r"|claro|perfeito|isso))*"
    ),
    agenda=within(
        r"(?:voce )?(?:quer|deseja|prefere|gostaria) que eu|posso|devo (?:continuar|seguir)"
        r"|continuar|continuo|prossigo|prosseguir"
        r"|commit|push|o que (?:faco|voce quer)|proxim\w+ passo\w*|por onde comeco|tudo bem"
        r"|esta (?:certo|correto|bom)"
    ),
    undecided=whole(
        r"tanto faz|como quiser|o que quiser|decide voce|voce decide|voce que sabe|nao sei|sei la"
        r"|qualquer um|pula|depois|ambos|nao|nada"
        r"|nenhum"
    ),
    concedes=within(
        r"voce (?:tem|esta) (?:toda a |totalmente |absolutamente )?(?:razao|cert[oa]|corret[oa])"
        r"|meu erro|errei|me enganei|me desculpe"
        r"|desculp\w+|sinto muito|obrigad[oa] (?:pela correcao|por corrigir|pelo esclarecimento)"
        r"|bem observado|bom ponto|entendi errado"
    ),
    first_person=within(r"eu|me|mim|meu|minha|vamos|vou"),
    second_person=within(r"voce|vc|tu|te|ti|teu|tua|seu|sua|voces|claude"),
    no_access=within(
        r"(?:voce|vc) nao (?:tem|tera) (?:\w+ )?(?:acesso|permissao)|(?:voce|vc) nao (?:pode"
        r"|consegue) (?:acessar|usar|rodar|ver)"
        r"|(?:aqui|nesta maquina|nessa maquina|no ci|no servidor) nao (?:ha|tem|esta)"
        r"|nao esta(?:o)? (?:instalad\w+|disponive\w+)"
        r"|sem acesso"
    ),
    everywhere=within(
        r"em todos (?:os )?(?:meus )?projetos|em qualquer projeto|globalmente|em cada projeto"
    ),
)
