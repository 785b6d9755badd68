"""What a rule may be about without naming the command: the words of each deed, and its triggers."""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile

from cortex_core.language import programs
from cortex_core.triggers import rule_words
from cortex_core.triggers.forms import COMMAND, PUSH
from cortex_core.triggers.stance import stance
from cortex_core.triggers.syntax import Trigger, parse, program_of
from cortex_core.triggers.vocabulary import folded, is_of_code, spot

SUBCOMMANDS = {
    "INSTALL": "install|add|i",
    "UPDATE": "update|upgrade|up",
    "DELETE": "delete|rm|remove|destroy|drop|prune|purge|uninstall",
    "PUBLISH": "publish|push|upload|release",
    "RUN": "run|start|up|exec|apply",
    "STOP": "stop|kill|restart|down|reload",
}
"""The usual subcommands for kinds of acts."""

DEEDS: tuple[tuple[str, str], ...] = (
    # commits and branches
    (
        "amend*, --amend",
        "Bash(git commit --amend)",
    ),
    (
        "rewrit*, umschreib*, umgeschrieb*, reecri*, reescrib*, reescrev*, riscriv*"
        ", herschrijv*, перепис*, 書き換, 改写, 重写, 다시 쓰 & commit*, HISTORY",
        "Bash(git commit --amend); Bash(git rebase); !Push(+BRANCH)"
        "; !Bash(git reset ~HEAD~|HEAD^); !Bash(git filter-branch|filter-repo|replace)",
    ),
    (
        "[skip ci], skip ci, skip the ci, saut* la ci, saute pas la ci",
        "!Text([skip ci]); !Text([ci skip]); !Text([no ci]); !Bash(git push -o ci.skip)",
    ),
    (
        "--no-verify",
        "Bash(git commit --no-verify); Bash(git push|merge|rebase|am|cherry-pick --no-verify)"
        "; Text(core.hooksPath); Text(HUSKY=0); Text(LEFTHOOK=0)"
        "; !Bash(pre-commit|lefthook uninstall); !Bash(rm|mv|chmod ~.husky|.git/hooks)",
    ),
    (
        "SKIP & hook*, pre-commit, precommit, хук*, フック, 훅, 钩子",
        "Bash(git commit --no-verify); Bash(git push|merge|rebase|am|cherry-pick --no-verify)"
        "; Text(core.hooksPath); Text(HUSKY=0); Text(LEFTHOOK=0)"
        "; !Bash(pre-commit|lefthook uninstall); !Bash(rm|mv|chmod ~.husky|.git/hooks)",
    ),
    (
        "force-push*, force push*, forced push*, push* --force, push -f, push* by force"
        ", push* forzad*, push* force*, push* mit gewalt, forc* le push, forc* un push, force-push"
        ", push forzat*, push forcad*, zwangs-push*",
        "Push(+BRANCH) unless Bash(git push LEASE)",
    ),
    ("--force, -f & push*", "Push(+BRANCH) unless Bash(git push LEASE)"),
    (
        "rewrit*, reescrib*, reecri* & remote*, remota*, pushed, shared, public*",
        "!Push(+BRANCH) unless Bash(git push LEASE)",
    ),
    ("push* & upstream", "!Bash(git push upstream)"),
    (
        "push*, pousse*, empuj*, hochschieb*, gepusht, пуш*, 推, プッシュ, 푸시 & NO docker, podman"
        ", image, images, container*, gem, gems, notification*, tag, tags, were pushed, was pushed"
        ", already pushed, been pushed, that are pushed, that is pushed, pushed commit*"
        ", pushed branch*, gepushte*, schon gepusht, bereits gepusht, deja pousse*, push broken"
        ", push untested, push half*, push unfinished, push failing, push wip, push code that"
        ", push anything that",
        "Push(BRANCH) unless Bash(git push LEASE)",
    ),
    ("rebas*", "!Bash(git rebase); !Bash(git pull --rebase)"),
    ("cherry-pick*, cherry pick*", "!Bash(git cherry-pick)"),
    ("stash*", "!Bash(git stash) unless Bash(git stash list|show)"),
    ("reset --hard, reset hard, hard reset*, hard-reset*", "!Bash(git reset --hard)"),
    ("git clean, clean -f*", "!Bash(git clean) unless Bash(git clean -n)"),
    ("commit -a, commit -am, commit --all", "!Bash(git commit -a)"),
    ("add -a, add --all", "!Bash(git add -A)"),
    (
        "add ., stag* everything, stag* all, alles stag*, everything at once",
        "!Bash(git add .); !Bash(git add -A)",
    ),
    (
        "MERGE & PR",
        "Bash(gh pr merge); mcp__*__merge_pull_request; Bash(glab mr merge)"
        "; Bash(gh api ~/merge); Bash(curl ~/merge)",
    ),
    ("MERGE & rebas*", "!Bash(git merge); !Bash(git pull --no-rebase)"),
    (
        "merge commit*, merge-commit*",
        "!Bash(git merge) unless Bash(git merge --squash|--ff-only); !Bash(gh pr merge -m)",
    ),
    (
        "squash*",
        "!Bash(gh pr merge -s); !Bash(git merge --squash)"
        "; ?Bash(gh pr merge) unless Bash(gh pr merge -s)",
    ),
    (
        "MERGE & BRANCH, yourself, git, github, gh, button, admin*"
        " & NO main into, master into, develop into, merge commit*, git merge, after merg*"
        ", before merg*, once merged, when merg*, nach dem merg*, despues de* merg*, tras el merg*"
        ", apres le merg*, apres la fusion, depois d* merg*, dopo il merg*, после merg*"
        ", после мерж*, マージ後, 合并后, 머지 후",
        "!Bash(git merge) unless Bash(git merge UPSTREAM); !Bash(gh pr merge)"
        "; !mcp__*__merge_pull_request",
    ),
    (
        "MERGE & BRANCHES & NO main into, master into, develop into",
        "!Bash(git merge @branch:BRANCH$); !Bash(gh pr merge); !mcp__*__merge_pull_request",
    ),
    ("MERGE & main into, master into, develop into", "!Bash(git merge UPSTREAM)"),
    (
        "push* tag*, push* the tags, push* any tags, push* your tags, tags pushen, tags setzen"
        ", push* de tags",
        "!Bash(git push --tags|--follow-tags); !Push(v*)",
    ),
    (
        "tag, tags, tagg* & fais, mach*, hago, faccio, CREATE, git, version*",
        "Bash(git tag *) unless Bash(git tag -l); !Bash(git push --tags|--follow-tags); !Push(v*)",
    ),
    (
        "release, releases & fais, mach*, hago, faccio, make, github, CREATE, PUBLISH, draft*",
        "Bash(gh|glab release create); !Bash(semantic-release); !Bash(goreleaser release)"
        "; !Bash(cargo release)",
    ),
    ("force delet*, force-delet* & BRANCH", "!Bash(git branch -D)"),
    (
        "DELETE & BRANCH & NO remot*, on origin, force delet*, force-delet*",
        "!Bash(git branch -d); !Bash(git branch -D)",
    ),
    (
        "DELETE & BRANCH & NO local*, lokal*, force delet*, force-delet*",
        "!Bash(git push -d|--delete); !Bash(git push --prune); !Bash(git push * :*)",
    ),
    (
        "DELETE & BRANCH & local*, lokal* & remot*",
        "!Bash(git branch -d); !Bash(git branch -D); !Bash(git push -d|--delete)"
        "; !Bash(git push --prune); !Bash(git push * :*)",
    ),
    (
        "switch*, chang*, checkout, check out, wechsel*, cambi*, chang* & BRANCH",
        "!Bash(git checkout) unless Bash(git checkout --); !Bash(git switch)",
    ),
    (
        # A commit that is created on a branch makes none.
        "CREATE & BRANCH & NO creat* … commit* … branch*, mak* … commit* … branch*"
        ", erstell* … commit* … branch*, branch* … erstell* … commit*, crea* … commit* … rama*"
        ", rama* … crea* … commit*",
        "!Bash(git checkout -b); !Bash(git switch -c); !Bash(git branch *)"
        "; !Bash(git worktree add -b)",
    ),
    (
        "discard*, throw away, throw out, revert*, undo*, verwerf*, wegwerf*, descart*, jette"
        ", jeter & CHANGES",
        "!Bash(git restore); !Bash(git checkout --); !Bash(git reset --hard); !Bash(git clean -f)"
        "; !Bash(git stash)",
    ),
    (
        "git config, git-config*, git identity",
        "!Bash(git config *) unless Bash(git config --get|-l)",
    ),
    ("fetch* & prune, --prune", "!Bash(git fetch -p|--prune)"),
    (
        "checkout, check* out, auscheck*, switch* to & BRANCHES",
        "!Bash(git checkout BRANCH); !Bash(git switch BRANCH)",
    ),
    (
        "CHANGE, DELETE, add*, put* & remote url*, remotes, remote, url de remote, remote-url*"
        " & NO branch*",
        "!Bash(git remote set-url|add|remove|rename)",
    ),
    (
        "ours, theirs & conflict*, wholesale, resolv*, konflikt*",
        "!Bash(git checkout --ours|--theirs); !Bash(git merge -X)",
    ),
    (
        "auto-merge, automerge, auto merge",
        "!Bash(gh pr merge --auto); !mcp__*__enable_*auto_merge*",
    ),
    (
        "rerun*, re-run*, restart*, trigger*, start*, lanc*, anstoss* & ci, job, jobs"
        ", workflow*, pipeline*"
        ", action*",
        "!Bash(gh run rerun); !Bash(gh workflow run); !Bash(glab ci run|retry)",
    ),
    (
        "watch*, poll*, wait*, wart* & ci, run, runs, checks, pipeline*",
        "!Bash(gh run watch); !Bash(gh pr checks --watch)",
    ),
    (
        "CHANGE, CREATE, DELETE & repo settings, repository settings, secrets with gh, repo secret*"
        ", github secret*, branch protection",
        "!Bash(gh secret set|delete); !Bash(gh repo edit|delete|archive); !Bash(gh variable set)",
    ),
    ("assign*, add* & reviewer*, assignee*", "!Bash(gh pr edit); !mcp__*__request_*review*"),
    ("add*, label*, remov* & label, labels, etikett*", "!Bash(gh issue edit); !Bash(gh pr edit)"),
    ("submodul*", "!Bash(git submodule update|add|deinit|set-url|sync); !Edit(.gitmodules)"),
    (
        "CREATE & against & PR",
        "?Bash(gh pr create); ?mcp__*__create_pull_request; ?Bash(glab mr create)",
    ),
    (
        "CREATE & PR & NO against, draft*, entwurf*, entwurfe, borrador*, brouillon*, bozza",
        "Bash(gh pr create); mcp__*__create_pull_request; Bash(glab mr create)"
        "; Bash(gh api ~/pulls -X|-f|-F|--method|--field)",
    ),
    (
        "approv*, freigeb*, aprob*, approuv* & PR",
        "!Bash(gh pr review -a|--approve); !mcp__*__create_pull_request_review"
        "; !mcp__*__submit_pending_*",
    ),
    (
        "review, reviewing & PR & NO approv*, freigeb*, aprob*, approuv*",
        "!Bash(gh pr review); !mcp__*__create_pull_request_review; !mcp__*__submit_pending_*",
    ),
    (
        "comment*, kommentier*, kommentar*, coment*, reply, repl*, antwort*, respond*"
        " & issue*, PR, ticket*, github, gitlab",
        "!Bash(gh pr comment|review); !Bash(gh issue comment); !mcp__*__add_*comment*"
        "; !Bash(glab mr note)",
    ),
    (
        "clos*, schliess*, cerr*, cierr*, ferm*, chiud*, fech* & issue*, ticket*",
        "!Bash(gh issue close)",
    ),
    ("clos*, schliess*, cerr*, ferm*, chiud*, fech* & PR", "!Bash(gh pr close)"),
    ("CREATE, fil* & issue*, ticket*", "!Bash(gh issue create); !mcp__*__create_issue"),
    (
        "binar*, screenshot*, image files, bilder*, capturas, captures & FILES",
        "!Commit(*.png); !Commit(*.jpg); !Commit(*.gif); !Commit(*.pdf); !Commit(*.zip)",
    ),
    ("NEWDOCS", "!Edit(+*.md)"),
    ("NEWDOCS & CHANGE, DELETE", "!Edit(*.md)"),
    (
        "markdown*, readme files & CREATE, CHANGE, new & NO NEWDOCS, cre* … readme*",
        "!Edit(*.md)",
    ),
    # what may only be looked at
    (
        "READONLY & kubectl, cluster*, kubernetes, k8s & NO LIVE",
        "=Bash(kubectl *) unless Bash(kubectl get|describe|logs|top|explain|version|cluster-info"
        "|config|diff|api-resources|auth)",
    ),
    (
        "READONLY & aws",
        "=Bash(aws * *) unless Bash(aws * ls|list-*|describe-*|get-*|head-*|filter-*|wait)",
    ),
    (
        "READONLY & gcloud, gcp",
        "=Bash(gcloud * *) unless Bash(gcloud * list|describe|read|* list|* describe)",
    ),
    ("READONLY & heroku", "=Bash(heroku *) unless Bash(heroku logs|ps|apps|releases|pg:info)"),
    (
        "DELETE & cluster*, kubernetes, k8s, pod, pods, deployment*, namespace*",
        "!Bash(kubectl delete); !Bash(helm uninstall)",
    ),
    (
        "READONLY, my job, mine & systemctl, systemd",
        "=Bash(systemctl *) unless Bash(systemctl status|show|cat|help|is-*|list-*)",
    ),
    (
        "READONLY & docker, container*",
        "=Bash(docker rm|rmi|stop|kill|restart|prune|run|exec|build|push|compose)",
    ),
    (
        "READONLY & terraform, tofu",
        "=Bash(terraform apply|destroy|import|taint|state); =Bash(tofu apply|destroy|import|taint)",
    ),
    (
        "READONLY & git, history",
        "=Bash(git commit); =Bash(git add); =Push(BRANCH); =Bash(git reset)",
    ),
    (
        "LIVEDB & NO READONLY, select*, dump*, writ*, insert*, update*, delet*"
        ", seed*, reset*, migrat*, restor*, drop*, truncat*, alter*",
        "!Bash(psql ~prod|production|live); !Bash(mysql ~prod|production|live)"
        "; !Bash(pg_dump ~prod|production|live); !Bash(mongosh ~prod|production|live)",
    ),
    (
        "writ*, insert*, update*, delet*, drop*, truncat*, alter* & LIVEDB",
        "!Bash(psql ~prod|production|live ~WRITES); !Bash(mysql ~prod|production|live ~WRITES)",
    ),
    ("dump*, export* & LIVEDB", "!Bash(pg_dump ~prod|production|live)"),
    (
        "HOST & DATABASE, primary, primar*, psql, mysql",
        "!Bash(psql @HOST); !Bash(mysql @HOST); !Bash(pg_dump @HOST); !Bash(mongosh @HOST)",
    ),
    (
        "READONLY, no writes, no insert*, no updates & DATABASE, psql, mysql, replica & HOST",
        "=Bash(psql @HOST ~WRITES); =Bash(mysql @HOST ~WRITES)",
    ),
    (
        "READONLY, no writes, no insert*, no updates & DATABASE, psql, mysql, replica"
        " & LIVE, LIVEDB",
        "=Bash(psql ~prod ~WRITES); =Bash(mysql ~prod ~WRITES); =Bash(psql ~live ~WRITES)",
    ),
    # what leaves the machine
    (
        "PUBLISH & pypi, testpypi, wheel*, twine",
        "!Bash(twine upload); !Bash(uv publish); !Bash(poetry publish); !Bash(flit publish)"
        "; !Bash(hatch publish)",
    ),
    (
        "PUBLISH & npm, registry, package*, paket*, paquete*, paquet*, pacchett*",
        "!Bash(npm|pnpm|yarn|bun|lerna|changeset publish); !Bash(yarn npm publish)"
        "; !Bash(semantic-release)",
    ),
    ("PUBLISH & crate, crates, crates.io", "!Bash(cargo publish)"),
    ("PUBLISH, push* & gem, gems, rubygems", "!Bash(gem push)"),
    (
        "PUBLISH, push* & image*, docker hub, dockerhub, registry, container*",
        "!Bash(docker push); !Bash(docker buildx build --push); !Bash(podman push)",
    ),
    (
        "deploy*, депло*, 部署, デプロイ, 배포, ausroll*, ausliefer*, desplieg*, despleg*, deploi*"
        ", rilasc*, implant* & NO scale*, scaling, replica*",
        "!Bash(make|just|task deploy*); !Bash(npm|pnpm|yarn|bun run deploy*)"
        "; !Bash(pnpm|yarn deploy*); !Bash(deploy.sh)"
        "; !Bash(fly|flyctl|netlify|serverless|sls|firebase|wrangler|cdk|sam|eb deploy)"
        "; !Bash(gcloud * deploy); !Bash(vercel deploy|--prod); !Bash(vercel --prod)"
        "; !Bash(kubectl apply); !Bash(helm upgrade|install); !Bash(git push heroku|dokku)"
        "; !Bash(docker stack deploy)",
    ),
    (
        "copi*, copy*, kopier*, upload*, transfer*, scp, rsync & HOST",
        "!Bash(scp @HOST$); !Bash(rsync @HOST$); !Bash(sftp @HOST); !Bash(ssh @HOST)",
    ),
    (
        "CHANGE, STOP, DELETE & server*, host, box, machine*, maschine*, rechner*, servidor*"
        ", serveur* & HOST",
        "!Bash(ssh @HOST); !Bash(scp @HOST$); !Bash(rsync @HOST$)",
    ),
    ("ssh* & LIVE", "!Bash(ssh ~prod); !Bash(ssh ~live)"),
    (
        "ssh, ssh into, log in, login, einlogg* & server*, box*, machine*, host*, maschine*"
        ", rechner*, servidor*, serveur*",
        "!Bash(ssh)",
    ),
    (
        "READONLY & kubectl, cluster*, kubernetes, k8s & LIVE",
        "=Bash(kubectl ~prod|live) unless Bash(kubectl get|describe|logs|top|explain|version"
        "|cluster-info|config|diff|api-resources|auth)",
    ),
    (
        "kubectl, helm, cluster* & LIVE & NO READONLY",
        "!Bash(kubectl --context=*prod*); !Bash(kubectl --context=*live*)"
        "; !Bash(kubectl config use-context *prod*); !Bash(kubectl config use-context *live*)"
        "; !Bash(helm --kube-context=*prod*)",
    ),
    (
        "kubectl & CONTEXT",
        "=Bash(kubectl --context) unless Bash(kubectl --context=CONTEXT)"
        "; =Bash(kubectl config use-context) unless Bash(kubectl config use-context CONTEXT)",
    ),
    (
        "CREATE, CHANGE, DELETE & aws",
        "!Bash(aws * rm|mb|rb|cp|mv|sync|create-*|delete-*|run-*|put-*|update-*|modify-*"
        "|terminate-*|start-*|stop-*|remove-*)",
    ),
    (
        "CREATE, CHANGE, DELETE & gcloud, gcp",
        "!Bash(gcloud * * create|delete|update|deploy|set-*|add-*|remove-*)",
    ),
    (
        "SEND & slack",
        "!mcp__*slack__*post*; !mcp__*slack__*send*; !mcp__*slack__*reply*"
        "; !Bash(curl ~hooks.slack.com); !Bash(curl ~slack.com/api/chat)",
    ),
    (
        "SEND & MAIL",
        "!Bash(mail); !Bash(sendmail); !Bash(mutt); !Bash(swaks); !mcp__*__send_*mail*"
        "; !mcp__*__send_message",
    ),
    (
        "curl, wget, internet & into bash, into sh, into a shell, pip*, |, sh, bash, shell*",
        "!Bash(sh ~curl|wget); !Bash(bash ~curl|wget); !Bash(zsh ~curl|wget)",
    ),
    # what cannot be taken back
    (
        "destroy*, taint*, drop*, zerstor*, destru*, detrui* & terraform, tofu, infra*, state",
        "!Bash(terraform|tofu destroy|taint); !Bash(terraform|tofu state rm)"
        "; !Bash(terraform|tofu apply -destroy); !Bash(pulumi|cdk destroy)",
    ),
    (
        "prun*, clean* up, aufraum*, limpi*, nettoy* & docker, container*, image*, volume*",
        "!Bash(docker|podman system|container|image|volume|network|builder|buildx prune)",
    ),
    (
        "CHANGE, DELETE, alone, hands off, finger, in ruhe, en paz, tranquil* & volume*, volumen*",
        "!Bash(docker|podman volume rm|remove|prune)"
        "; !Bash(docker|podman compose down -v|--volumes); !Bash(docker|podman compose rm -v)"
        "; !Bash(docker|podman system prune --volumes); !Bash(docker|podman rm -v|--volumes)",
    ),
    (
        "DELETE, truncat*, renam*, umbenenn*, renombr*, renomm*, rinomin* & TABLE, DATABASE, banco",
        "!Text(drop table); !Text(drop database); !Text(truncate table); !Text(rename to)"
        "; !Bash(psql ~truncate); !Bash(mysql ~truncate)"
        "; !Bash(dropdb); !Bash(rails db:drop|db:reset)",
    ),
    (
        "リセット, 重置, 초기화, wip*, reset*, zurucksetz*, empt*, DELETE, leer*, vaci*, vid*"
        " & DATABASE",
        "!Text(drop database); !Text(drop schema); !Text(truncate table); !Bash(dropdb)"
        "; !Bash(rails db:drop|db:reset); !Bash(prisma migrate reset); !Bash(manage.py flush)",
    ),
    (
        "RUN, no seed*, no fixtures, keine seed*, pas de seed*, sin seed* & seed*, seeds, fixtures",
        "!Bash(rails db:seed|db:seed:replant); !Bash(prisma db seed); !Bash(manage.py loaddata)"
        "; !Bash(npm run seed*); !Bash(php artisan db:seed)",
    ),
    (
        "flush*, flushall, flushdb & redis, cache*",
        "!Bash(redis-cli flushall|FLUSHALL|flushdb|FLUSHDB)",
    ),
    # which version
    (
        "python & VERSION & VERSIONS & NO python3 … python",
        "=Bash(pyenv install|local|global|shell) unless Bash(pyenv * VERSION*)"
        "; =Bash(uv python install|pin) unless Bash(uv python * VERSION*)"
        "; =Bash(uv venv --python) unless Bash(uv venv --python=VERSION*)"
        "; =Bash(docker run|pull ~python:) unless Bash(docker run|pull ~python:VERSION)"
        "; Edit(.python-version)",
    ),
    (
        "node, nodejs, node.js & VERSION & VERSIONS",
        "=Bash(nvm use|install|alias) unless Bash(nvm use|install|alias VERSION*|vVERSION*)"
        "; =Bash(fnm use|install) unless Bash(fnm use|install VERSION*|vVERSION*)"
        "; =Bash(n *) unless Bash(n VERSION*); =Bash(volta install|pin) unless Bash(volta ~VERSION)"
        "; =Bash(docker run|pull ~node:) unless Bash(docker run|pull ~node:VERSION); =Edit(.nvmrc)",
    ),
    (
        "java, jdk & VERSION & VERSIONS",
        "=Bash(sdk install|use|default java) unless Bash(sdk * java VERSION*)",
    ),
    (
        "ruby & VERSION & VERSIONS",
        "=Bash(rbenv install|local|global) unless Bash(rbenv * VERSION*); =Edit(.ruby-version)"
        "; =Bash(rvm use|install) unless Bash(rvm * VERSION*)",
    ),
    ("go, golang & VERSION & VERSIONS", "=Bash(go mod edit ~go); =Bash(go get ~toolchain)"),
    # what runs here
    ("as root, als root, como root, en root, sudo", "!Bash(sudo); !Bash(su); !Bash(doas)"),
    (
        "STOP & DAEMON",
        "!Bash(systemctl restart|stop|try-restart|reload-or-restart|disable|kill ~DAEMON)"
        "; !Bash(service restart|stop ~DAEMON); !Bash(docker|podman restart|stop|kill ~DAEMON)"
        "; !Bash(docker|podman compose restart|stop|down|kill ~DAEMON)"
        "; !Bash(pm2|supervisorctl restart|stop|reload|delete ~DAEMON)"
        "; !Bash(brew services restart|stop ~DAEMON); !Bash(pkill|killall ~DAEMON)",
    ),
    (
        "STOP & SERVICES & NO DAEMON",
        "!Bash(systemctl restart|stop|try-restart|reload-or-restart|disable|kill)"
        "; !Bash(service * restart|stop); !Bash(docker|podman restart|stop|kill)"
        "; !Bash(docker|podman compose restart|stop|down|kill)"
        "; !Bash(pm2|supervisorctl restart|stop|reload|delete)"
        "; !Bash(brew services restart|stop)",
    ),
    (
        "STOP & process*, prozess*, proces*, port, puerto, pid*",
        "!Bash(kill) unless Bash(kill %*); !Bash(pkill); !Bash(killall); !Bash(fuser -k)"
        "; !Bash(kill-port)",
    ),
    ("STOP & server*", "?Bash(kill) unless Bash(kill %*); ?Bash(pkill); ?Bash(killall)"),
    ("reboot*", "!Bash(reboot); !Bash(shutdown -r)"),
    ("STOP & machine*, box, rechner*, host", "!Bash(reboot); !Bash(shutdown)"),
    ("crontab*, cron", "!Bash(crontab) unless Bash(crontab -l)"),
    ("firewall*, iptables, ufw", "!Bash(iptables); !Bash(ufw) unless Bash(ufw status); !Bash(nft)"),
    (
        "RUN, no docker, no container*, no compose, keine container*, kein docker* & docker"
        ", containers, container, compose, stack",
        "!Bash(docker|podman compose up|start|restart|run); !Bash(docker|podman run|start)",
    ),
    (
        "apply*, anwend*, aplic*, appliqu*, applic* & terraform, tofu, infra*, infrastruct*",
        "!Bash(terraform|tofu apply)",
    ),
    (
        "RUN & DEVSERVER & NO leave … running, keep … running, lass* … laufen, laisse* … tourner",
        "!Bash(npm|pnpm|yarn|bun run dev|dev:*|start|start:dev|serve)"
        "; !Bash(npm|pnpm|yarn|bun dev|start|serve)"
        "; !Bash(next|nuxt|nuxi|astro|remix|gatsby|wrangler dev|develop)"
        "; !Bash(vite) unless Bash(vite build); !Bash(rails|hugo server|s)"
        "; !Bash(python manage.py runserver); !Bash(manage.py runserver)"
        "; !Bash(uvicorn|nodemon|webpack-dev-server); !Bash(flask|fastapi run|dev)"
        "; !Bash(php artisan serve); !Bash(ng|webpack|jekyll|vue-cli-service serve)"
        "; !Bash(make|just|task dev|serve)",
    ),
    (
        "UPDATE & PACKAGES",
        "!Bash(npm|pnpm|yarn|bun update|upgrade|up); !Bash(npm|pnpm|yarn|bun install|add|i *@*)"
        "; !Bash(cargo|poetry|pdm|bundle|composer|mix update|deps.update)"
        "; !Bash(pip|pip3 install -U|--upgrade); !Bash(uv lock --upgrade|--upgrade-package)"
        "; !Bash(uv sync --upgrade); !Bash(go get -u); !Bash(ncu|npm-check-updates -u)",
    ),
    (
        "UPDATE, CHANGE, hochzahl*, subas, subir, increment* & version, versions",
        "!Bash(npm version *); !Bash(pnpm version *); !Bash(yarn version); !Bash(cargo set-version)"
        "; !Bash(poetry version *); !Bash(hatch version *); !Bash(bump2version)"
        "; !Bash(uv version *)",
    ),
    (
        "INSTALL & system package*, os package*, system-wide*, systemwide",
        "!Bash(apt|apk|dnf|yum|zypper|brew install|add); !Bash(pacman -S)",
    ),
    (
        "INSTALL & PACKAGES & NO system package*, os package*, system-wide*, systemwide",
        "!Bash(npm|pnpm|yarn|bun|deno install|add|i *)"
        "; !Bash(pip|pip3|pipenv|conda|mamba install *)"
        " unless Bash(pip|pip3|pipenv|conda|mamba install -r|-e|--requirement|--editable)"
        "; !Bash(uv|poetry|pdm|rye|pixi|cargo|bundle|dotnet add)"
        "; !Bash(uv pip install *) unless Bash(uv pip install -r|-e|--requirement|--editable)"
        "; !Bash(go get); !Bash(composer require); !Bash(flutter|dart pub add)",
    ),
    (
        "global*, globaal, system-wide, systemwide, systemweit*, глобальн*, 全局, グローバル, 전역"
        " & install*, instal*, установ*, ставь*, 安装, インストール, 설치",
        "!Bash(npm|pnpm|bun|deno install|add|i -g|--global)"
        "; !Bash(yarn|composer global add|require); !Bash(pipx install)"
        "; !Bash(pip|pip3 install --user|--break-system-packages)"
        "; !Bash(sudo pip|pip3|npm|gem install|i); !Bash(uv tool install)"
        "; !Bash(cargo install *) unless Bash(cargo install --path); !Bash(go install *@*)"
        "; !Bash(gem install *); !Bash(brew install); !Bash(dotnet tool install -g|--global)"
        "; !Bash(apt|apt-get|dnf|apk install|add)",
    ),
    (
        "RUN, no migration*, keine migration*, pas de migration*, sin migracion* & MIGRATIONS",
        "!Bash(python manage.py migrate); !Bash(manage.py migrate)"
        "; !Bash(alembic upgrade|downgrade); !Bash(prisma migrate deploy|dev|reset)"
        "; !Bash(rails|rake db:migrate*|db:rollback)"
        "; !Bash(php artisan migrate*) unless Bash(php artisan migrate:status)"
        "; !Bash(flyway|goose|dbmate|liquibase migrate|up|update)"
        "; !Bash(knex|sequelize|sequelize-cli|typeorm"
        " migrate:latest|migrate:up|db:migrate|migration:run)"
        "; !Bash(sqlx|diesel migrate|migration run); !Bash(dotnet ef database update)"
        "; !Bash(mix ecto.migrate)"
        "; !Bash(npm|pnpm|yarn|bun|make|just|task run|migrate|db:migrate ~migrate)"
        " unless Bash(npm|pnpm|yarn|bun|make|just|task ~create|generate|new|status)",
    ),
    (
        "ALL & SUITE",
        "!Bash(pytest|tox|nox|phpunit|rspec $)"
        "; !Bash(jest $) unless Bash(jest --findRelatedTests|--changedSince|--onlyChanged)"
        "; !Bash(npm|pnpm|yarn|bun|playwright|cargo|dotnet|mix|rails test $)"
        "; !Bash(npm|pnpm|yarn|bun run test|test:e2e|e2e $); !Bash(vitest run $)"
        "; !Bash(go test ./...); !Bash(make|just|task|mvn|gradle test|check|verify $)"
        "; !Bash(cypress run $)",
    ),
    (
        "ALL, over, uber & repo, codebase, project, projekt, proyecto, projet, files, dateien"
        " & format*, prettier, black, reformat*, formatier*",
        "!Bash(prettier .|./|src); !Bash(prettier ~**/); !Bash(black .); !Bash(ruff format $)"
        "; !Bash(ruff format .)"
        "; !Bash(biome format --write .); !Bash(eslint --fix .); !Bash(gofmt -w .)",
    ),
    (
        "audit fix, npm audit",
        "!Bash(npm audit fix)",
    ),
    (
        "UPDATE, regenerat*, overwrit*, uberschreib*, --update-snapshots, 갱신, 更新 & snapshot*"
        ", スナップショット, 快照, 스냅샷",
        "!Bash(jest|vitest -u|--update|--updateSnapshot); !Bash(pytest --snapshot-update)"
        "; !Bash(playwright test -u|--update-snapshots)"
        "; !Bash(npm|pnpm|yarn|bun test -u|--updateSnapshot)"
        "; !Bash(npm|pnpm|yarn|bun run ~test -u|--updateSnapshot); !Edit(*.snap)",
    ),
    (
        "lock file*, lockfile*, lock-file*, lock-файл*, lock файл*, lockファイル"
        ", lock ファイル & CHANGE, UPDATE, by hand, hands off, off limits, alone"
        ", bearbeit*, commit*",
        "!Edit(*.lock); !Edit(*-lock.*); !Edit(*.lockb); !Edit(go.sum)",
    ),
    ("updat* & cargo.lock", "!Bash(cargo update)"),
    (
        "go.mod, go.sum & CHANGE, UPDATE, alone, hands off, off limits",
        "Bash(go get); Bash(go mod tidy|edit); Bash(go work sync)",
    ),
    (
        "PUBLISH, deploy* & maven*, artifactory, nexus",
        "!Bash(mvn deploy); !Bash(gradle publish*)",
    ),
    (".only & test*, spec*", "!Text(.only @in:tests)"),
    ("updat* & package-lock.json", "!Bash(npm update)"),
    (
        "browser*, navegador*, navigateur*",
        "!Bash(open ~http); !Bash(xdg-open); !Bash(start ~http)",
    ),
    (
        "background, hintergrund, segundo plano, arriere-plan",
        "!Bash(nohup); !Bash(setsid); !Bash(disown)",
    ),
    (
        "CREATE & bucket, buckets",
        "!Bash(aws s3 mb); !Bash(aws s3api create-bucket); !Bash(gsutil mb)",
    ),
    ("cloudfront, cdn, cache & invalid*, purg*", "!Bash(aws cloudfront create-invalidation)"),
    (
        "dns, route53, zone*",
        "!Bash(aws route53 change-*); !Bash(gcloud dns *); !Bash(doctl compute domain *)",
    ),
    ("exec*, shell*, log* into & pod, pods, container*", "!Bash(kubectl exec); !Bash(docker exec)"),
    ("port-forward*, port forward*", "!Bash(kubectl port-forward)"),
    (
        "mount*, einhang*, mont* & home, container*",
        "!Bash(docker run ~$HOME|/home); !Bash(docker run ~~/)",
    ),
    ("latest & docker*, image*, tag*, version*", "!Text(:latest)"),
    ("0.0.0.0", "!Text(0.0.0.0)"),
    (
        "download*, pull*, fetch*, telecharg*, herunterlad*, lade, descarg*, scaric* & model*"
        ", modele*"
        ", weights, poids, dataset*, datensatz*, datos, checkpoint*",
        "!Bash(huggingface-cli download); !Bash(ollama pull); !Bash(wget); !Bash(curl -O|-o)"
        "; !Bash(kaggle); !Text(snapshot_download); !Text(load_dataset)",
    ),
    (
        "RUN & notebook*",
        "!Bash(jupyter nbconvert --execute); !Bash(jupyter execute); !Bash(papermill)",
    ),
    (
        "RUN, no emulator*, no simulator* & emulator*, simulator*, avd",
        "!Bash(emulator); !Bash(flutter emulators --launch); !Bash(xcrun simctl boot)"
        "; !Bash(flutter run); !Bash(adb)",
    ),
    (
        "STOP & vm, vms, virtual machine*, maschine*",
        "!Bash(vagrant reload|halt|destroy); !Bash(virsh shutdown|reboot|destroy); !Bash(reboot)"
        "; !Bash(shutdown); !Bash(limactl stop)",
    ),
    (
        "restor*, einspiel*, wiederherstell*, restaur* & backup*, dump*, sicherung*, copia*"
        ", DATABASE",
        "!Bash(pg_restore); !Text(.dump); !Bash(psql ~backup|dump); !Bash(mysql ~backup|dump)"
        "; !Bash(mongorestore)",
    ),
    (
        "dump*, export* & DATABASE, kundendatenbank*, customer*, mak*, any",
        "!Bash(pg_dump); !Bash(mysqldump); !Bash(mongodump); !Bash(sqlite3 ~.dump)",
    ),
    (
        "delete, update & where, transaction*, transaktion*",
        "!Text(delete from); !Text(update); !Bash(psql ~delete|update)"
        "; !Bash(mysql ~delete|update)",
    ),
    (
        "mysql, psql, postgres, sqlite, sqlite3, DATABASE & select only, only select*, nur select"
        ", select-only, readonly & NO LIVE, LIVEDB, HOST",
        "=Bash(psql ~WRITES); =Bash(mysql ~WRITES); =Bash(sqlite3 ~WRITES)",
    ),
    (
        "permission*, owner*, chmod, chown, rechte, besitzer, permisos, droits, permess* & NO 777",
        "!Bash(chmod); !Bash(chown)",
    ),
    ("777 & chmod*, permission*", "!Bash(chmod 777)"),
    ("symlink*, symbolic link*, links simbolicos, liens symboliques", "!Bash(ln -s)"),
    ("cronjob*, cron job*, cron-job*", "!Bash(crontab) unless Bash(crontab -l)"),
    (
        "parallel*, paralel*, concurren*, gleichzeitig*, -n auto & test*, pytest, suite, prueba*",
        "!Bash(pytest -n); !Bash(pytest --numprocesses); !Bash(jest --maxWorkers)"
        "; !Bash(go test -parallel); !Bash(go test -p)",
    ),
    (
        "lint*, eslint, ruff & ALL, whole, entire & project, repo, codebase, projekt, proyecto"
        ", projet",
        "!Bash(eslint .|src); !Bash(ruff check .|$); !Bash(npm run lint $); !Bash(pylint .|src)",
    ),
    (
        "--fix, autofix*, auto-fix* & eslint, ruff, lint*",
        "!Bash(eslint --fix); !Bash(ruff check --fix); !Bash(npm run lint:fix)",
    ),
    (
        "DELETE, clear*, clean* & cache, caches",
        "!Bash(npm cache clean); !Bash(ccache -C); !Bash(rm ~cache|.cache); !Bash(cargo clean)"
        "; !Bash(gradle clean); !Bash(docker builder prune)",
    ),
    ("sed & edit*, chang*, bearbeit*, modif*, files, dateien, archivos, fichiers", "!Bash(sed -i)"),
    (
        "perl & edit*, chang*, bearbeit*, modif*, files, dateien, archivos, fichiers",
        "!Bash(perl -i); !Bash(perl -pi)",
    ),
    ("awk & edit*, chang*, bearbeit*, modif*, files, dateien, archivos, fichiers", "!Bash(awk -i)"),
    ("npm script*, scripts section & new, CHANGE, CREATE, neu*", "!Edit(package.json)"),
    ("makefile* & target*, ziel*, CREATE", "!Edit(Makefile)"),
    ("xcodeproj*, xcode project*", "!Edit(*.pbxproj); !Edit(*.xcodeproj)"),
    (
        "submit*, PUBLISH, releas* & app store, play store, testflight",
        "!Bash(fastlane); !Bash(xcrun altool); !Bash(eas submit); !Bash(xcodebuild -exportArchive)",
    ),
    (
        "SEND & channel*, kanal*, canal*, chat*",
        "!mcp__*slack__*post*; !mcp__*slack__*send*; !mcp__*discord__*send*"
        "; !mcp__*__*send_message*"
        "; !Bash(curl ~hooks.slack.com|discord.com)",
    ),
    (
        "CHANGE, finger, hands off, alone & ci, ci config*, ci-config*, the workflows"
        ", los workflows, les workflows, ci files",
        "!Edit(.github/workflows); !Edit(.gitlab-ci.yml); !Edit(.circleci); !Edit(Jenkinsfile)"
        "; !Bash(gh workflow enable|disable); !Bash(gh secret|variable set|delete)",
    ),
    ("terraform-dateien, terraform files, tf files, .tf files", "!Edit(*.tf); !Edit(*.tfvars)"),
    ("CHANGE & python files, python-dateien, fichiers python, archivos python", "Edit(*.py)"),
    ("CHANGE & typescript files, typescript-dateien, ts files", "Edit(*.ts); Edit(*.tsx)"),
    ("CHANGE & go files, go-dateien", "Edit(*.go)"),
    ("CHANGE & sql files, sql-dateien, fichiers sql, archivos sql", "Edit(*.sql)"),
    ("CHANGE & yaml files, yaml-dateien, yml files", "Edit(*.yml); Edit(*.yaml)"),
    (
        "CHANGE & am nginx, the nginx, nginx config*, nginx-konfig*",
        "!Edit(nginx.conf); !Edit(/etc/nginx)",
    ),
    (
        "CHANGE & traduc*, translation*, ubersetz*, locale, locales",
        "!Edit(locales); !Edit(translations); !Edit(i18n); !Edit(*.po)",
    ),
    (
        "CREATE, generate, generating, writ* & MIGRATIONS",
        "!Bash(python manage.py makemigrations); !Bash(manage.py makemigrations)"
        "; !Bash(rails generate migration); !Bash(alembic revision); !Edit(migrations)",
    ),
    (
        "subas, sube, subir, push*, bring*, mett*, roll* & LIVE",
        "!Bash(make deploy*); !Bash(npm run deploy*); !Bash(vercel --prod); !Bash(fly deploy)"
        "; !Bash(netlify deploy); !Bash(serverless deploy); !Bash(kubectl apply)",
    ),
    (
        "DELETE & test, tests, spec, specs, prueba*, testes, тест*, テスト, 测试",
        "!Bash(rm ~test|tests|spec); !Bash(git rm ~test|tests|spec)",
    ),
    # what is written
    (
        "SECRETS, zugangsdaten, api-key*, секрет*, парол*, 密钥, 密码, シークレット, 비밀"
        " & hardcod*, hard-cod*, hard cod*, in code, in the code, in source, fest im, im code"
        ", in den code, dans le code, en el codigo, nel codice, no codigo, в код*, 代码, コード"
        ", 코드",
        "?Text(sk_live_|sk_test_|ghp_|github_pat_|glpat-|xoxb-|sk-ant-|sk-proj-)"
        "; ?Text(key = '|key = \"|key: '|token = '|token = \"|secret = '|secret = \"|password = '"
        '|password = "|password: |ACCESS_KEY = )',
    ),
    ("default export*", "!Text(export default)"),
    (
        "SKIP, xfail, ausschalt*, ubersprung*, auskommentier*, deaktiv*, comment* out, pules"
        " & test*, spec*, prueba*, тест*, 测试, テスト, 테스트",
        "!Text(it.skip @in:tests); !Text(test.skip @in:tests); !Text(describe.skip @in:tests)"
        "; !Text(mark.skip @in:tests); !Text(skipTest @in:tests); !Text(xit( @in:tests)"
        "; !Text(@Disabled @in:tests); !Text(@Ignore @in:tests); !Text(t.Skip( @in:tests)"
        "; !Text(#[ignore]); !Bash(mvn -DskipTests)",
    ),
    (
        "disabl*, suppress*, ignor*, silenc*, unterdruck*, desactiv*, stummschalt* & lint*, eslint"
        ", warning*, type error*, type-error*, mypy, ruff, pylint, warnung*, avertissement*",
        "!Text(eslint-disable); !Text(noqa); !Text(type: ignore); !Text(ts-ignore)"
        "; !Text(ts-expect-error); !Text(nolint); !Text(#[allow(); !Text(pylint: disable)",
    ),
    (
        "debug* & print*, log*, left, behind, leave, statement*, output*, ausgabe*, salida*"
        ", sortie*",
        "!Text(console.log); !Text(print(); !Text(debugger); !Text(dbg!); !Text(breakpoint()"
        "; !Text(binding.pry)",
    ),
    (
        "HOST & call*, request*, anfrag*, llamad*, appel*, connect*, traffic, quota*, verbind*",
        "!Bash(curl @HOST); !Bash(wget @HOST); !Text(HOST)",
    ),
    (
        "DELETE & s3, bucket*, object*, blob*",
        "!Bash(aws s3 rm|rb); !Bash(aws s3api delete-*); !Bash(gsutil rm|rb)",
    ),
    # what is run on other machines and costs something
    (
        "train, trains, training*, entren*, entrain*, addestr*",
        "!Bash(python train*); !Bash(sbatch); !Bash(torchrun); !Bash(accelerate launch)",
    ),
    (
        "flash*, upload*, brenn* & firmware, board*, device*, bench, bootloader, gerat*, placa*",
        "!Bash(esptool); !Bash(avrdude); !Bash(openocd); !Bash(pio run -t upload)"
        "; !Bash(idf.py flash); !Bash(west flash); !Bash(st-flash); !Bash(dfu-util)",
    ),
    (
        "load test*, load-test*, lasttest*, stress test*, pruebas de carga, tests de charge",
        "!Bash(k6 run); !Bash(artillery); !Bash(locust); !Bash(jmeter); !Bash(wrk); !Bash(ab)",
    ),
    (
        "upload*, hochlad*, subas, subir, copi*, copy*, sync* & s3, bucket*",
        "!Bash(aws s3 cp|sync|mv ~s3://$); !Bash(gsutil cp)",
    ),
    (
        "tunnel*, expos*, ngrok & public*, internet, outside, tunnel*, ngrok",
        "!Bash(ngrok); !Bash(cloudflared tunnel)",
    ),
    (
        "PRINT & SECRETS",
        "!Bash(printenv $); !Bash(env $); !Read(.env); !Read(*.pem); !Read(*.key)"
        "; !Read(*credentials*)",
    ),
    (
        "CHANGE, mov*, transition*, status & SERVICE",
        "!mcp__*SERVICE*__*update*; !mcp__*SERVICE*__*edit*; !mcp__*SERVICE*__*transition*"
        "; !mcp__*SERVICE*__*set*",
    ),
    (
        "SEND, comment*, kommentier*, coment* & SERVICE",
        "!mcp__*SERVICE*__*comment*; !mcp__*SERVICE*__*send*; !mcp__*SERVICE*__*post*",
    ),
    ("CREATE & SERVICE", "!mcp__*SERVICE*__*create*; !mcp__*SERVICE*__*add*"),
    (
        "DELETE, clos*, archiv* & SERVICE",
        "!mcp__*SERVICE*__*delete*; !mcp__*SERVICE*__*close*; !mcp__*SERVICE*__*archive*",
    ),
    (
        "direct database access, direct db access, database access & only, direct*, never, through",
        "!Bash(psql); !Bash(mysql); !Bash(mongosh); !Bash(redis-cli); !Bash(sqlite3)",
    ),
    (
        "RUN & integration, e2e, end-to-end, end to end, acceptance, smoke, integrationstest*"
        ", browser",
        "!Bash(pytest ~integration|e2e); !Bash(npm run ~integration|e2e|smoke)"
        "; !Bash(npm test ~e2e); !Bash(pnpm ~integration|e2e|smoke)"
        "; !Bash(yarn ~integration|e2e|smoke); !Bash(make ~integration|e2e|smoke)"
        "; !Bash(playwright test); !Bash(cypress run); !Bash(go test ~integration|e2e)"
        "; !Bash(cargo test ~integration)",
    ),
    (
        "build artifact*, artifact*, artefact*, build output*, artefakt* & FILES, out of git",
        "!Commit(dist); !Commit(build); !Commit(target); !Commit(out)",
    ),
    (
        "BRANCHES & clean, protected, locked, frozen, untouched, sauber, geschutzt, limpi*, propre",
        "=Push(BRANCH); =Bash(git commit @branch:BRANCH$)",
    ),
    (
        "tls, ssl, certificate check*, certificate verif*, zertifikatspruf*",
        "!Text(verify=False); !Bash(curl -k|--insecure); !Text(NODE_TLS_REJECT_UNAUTHORIZED)"
        "; !Text(rejectUnauthorized: false); !Text(InsecureSkipVerify); !Text(http.sslVerify)"
        "; !Bash(wget --no-check-certificate)",
    ),
    # what is not to be in code
    (
        "`any`, as any, type any, any type, any types, any in typescript",
        "!Text(: any @in:typescript); !Text(as any @in:typescript); !Text(<any @in:typescript)"
        "; !Text(any> @in:typescript); !Text(any[] @in:typescript)",
    ),
    ("enum, enums & typescript, ts", "!Text(enum @in:typescript)"),
    (
        "non-null assertion*, non null assertion*",
        "!Text(!. @in:typescript)",
    ),
    (
        "`var`, no var, never var, var is, use var, kein var & js, javascript, ts, typescript, let"
        ", const",
        "!Text(var @in:javascript)",
    ),
    ("`eval`, no eval, use eval, eval is & js, javascript, ts, typescript, php", "!Text(eval()"),
    ("class component*", "!Text(extends React.Component); !Text(extends Component)"),
    ("inline style*, inline-style*", '!Text(style={{); !Text(style=")'),
    ("!important", "!Text(!important)"),
    (
        "`print`, no print, no prints, print statement*, print call* & python, py",
        "!Text(print( @in:python)",
    ),
    ("bare except*, except: & python, py, catch*, except*", "!Text(except: @in:python)"),
    ("wildcard import*, star import*", "!Text(import * @in:python)"),
    (
        "utcnow, naive datetime*, naive ones, naive dates & python, py, datetime*",
        "!Text(utcnow @in:python); !Text(datetime.now() @in:python)"
        "; !Text(datetime.today() @in:python); !Text(utcfromtimestamp @in:python)",
    ),
    (
        "unwrap, unwraps, unwrapping & rust, expect*, panic*, result* & NO unwrap()",
        "!Text(.unwrap() @in:rust)",
    ),
    ("unsafe & rust", "!Text(unsafe { @in:rust); !Text(unsafe fn @in:rust)"),
    ("panic, panics & go, golang, log.fatal, os.exit", "!Text(panic( @in:go)"),
    (
        "force unwrap*, force-unwrap*, force cast*, force-unwrapping & NO kotlin",
        "!Text(try! @in:swift); !Text(as! @in:swift); !Text()! @in:swift); !Text(!. @in:swift)"
        "; !Text(!) @in:swift)",
    ),
    ("`!!`, !! & kotlin", "!Text(!!. @in:kotlin)"),
    (
        "sleep, sleeps, sleeping, fixed wait*, fixed delay*, hard wait*, hard-coded wait*"
        ", hardcoded wait*, feste* wart*, sleep-aufruf* & test*, spec*, e2e",
        "!Text(sleep( @in:tests); !Text(waitForTimeout( @in:tests); !Text(delay( @in:tests)",
    ),
    (
        "internet, web lookup*, web search*, web request*, интернет*, 外网, 联网, 上网"
        ", インターネット, 인터넷 & NO CODE",
        "!Bash(curl|wget) unless Bash(curl|wget ~localhost|127.0.0.1)",
    ),
    # what is only recalled
    (
        "conventional, feat:, fix:",
        "?Bash(git commit) unless Bash(git commit"
        " feat:|fix:|chore:|docs:|refactor:|test:|perf:|build:|ci:|style:|revert:)",
    ),
    (
        "sign, signed, signier*, firmad*, sign* & commit*",
        "?Bash(git commit) unless Bash(git commit -S|-s)",
    ),
    (
        "draft*, entwurf*, entwurfe, borrador*, brouillon*, bozza & PR",
        "?Bash(gh pr create) unless Bash(gh pr create -d)",
    ),
    (
        "claude, ai, ki, ia, chatgpt, anthropic, robot*, bot & commit*, attribut*, pr, prs"
        ", message*",
        "!Bash(git commit ~claude|anthropic|co-authored-by|generated|ai|chatgpt)"
        "; !Bash(gh pr create ~claude|anthropic|generated|ai|chatgpt)",
    ),
    (
        "commit*, committe*, коммит*, 提交, コミット, 커밋 & BRANCHES",
        "!Bash(git commit @branch:BRANCH$)",
    ),
    (
        "commit$, commit anything, commit yourself, commit for me, commit on your own"
        ", commit on my behalf, commit or push, commit and push, committing to me, commit files"
        ", commit code, commit changes, commit my changes, create commits, create any commits"
        ", make commits, make any commits, committen$, committe nicht*, mach* … commits"
        ", hagas commit*, hacer commits, fais … commits, committer$, commite pas, facas commit*"
        ", fazer commit*, коммить$, коммитить$, делай коммит*, コミットしないで, 不要提交, 커밋하지"
        " & NO forget*, vergiss*, olvid*, oubli*, esque*, забы*, 忘, 잊, one commit, a commit"
        ", each commit, every commit, per commit, big commit, this commit, the commit, same commit"
        ", single commit, last commit, me to commit",
        "!Bash(git commit)",
    ),
    ("commit*, コミット, 提交, 커밋, коммит*", "?Bash(git commit)"),
    (
        "new branch, branch off, name branches, name the branches, branch name*, branches are named"
        ", branches must be named, branchname*, branch-name*, nombres de rama*, noms de branche*",
        "?Bash(git checkout -b) unless Bash(git checkout -b PREFIX/*)"
        "; ?Bash(git switch -c) unless Bash(git switch -c PREFIX/*); ?Bash(git worktree add)"
        "; ?Bash(git branch *) unless Bash(git branch PREFIX/*)",
    ),
)
"""What a rule may be about without naming the command: the words of it, and its triggers.

Words are without accents; `*` means any ending, `$` that the clause ends there, and of each group
(`&`) one has to be there, of one behind `NO` none. A word of capitals means those of `WORDS` of the
vocabulary, or for what the rule names: `HOST` a machine, `VERSION`, `BRANCHES`. `!` means a trigger
only of a rule that forbids or limits it, `?` that it is only recalled, `=` that it breaks the rule
whatever the other words are. Where a rule names programs itself, only the triggers of these count.
"""


def of_sentence(sentence: str) -> Iterator[Trigger]:
    """The triggers of what a sentence speaks of without naming the command, such as a push to main.

    What it forbids counts alone, then what it limits; else the first thing that it is about.
    """
    plain = folded(sentence)
    # Code is read as the commands and paths in it; it is no verb of the sentence.
    bare = rule_words.SPAN.regex.sub(lambda match: " " * len(match[0]), plain)
    forbidden: list[Trigger] = []
    limited: list[Trigger] = []
    named: list[Trigger] = []
    # “Never run migrations against production” breaks no command that does not say where it runs.
    is_of_place = spot(plain, "LIVE") is not None
    for words, lines in () if is_of_code(plain) else DEEDS:
        words, _, others = words.partition(" & NO ")
        groups = words.split(" & ")
        looked = (spot(bare if one[:3].isupper() else plain, one) for one in groups)
        spots = list(takewhile(bool, looked))
        if len(spots) < len(groups) or (others and spot(plain, others)):
            continue
        at, end = spots[0] or (0, 0)
        # “Don't push tags” is about no other push.
        is_other = plain[end : end + 1] == " " and plain[end:].split()[0] in rule_words.OBJECTS
        if is_other and len(groups) == 1 and plain[at:end].startswith("push"):
            continue
        # “No migrations” says itself what it wants.
        wants = (
            "forbidden"
            if rule_words.BARE_NO.regex.search(plain[at:end].split(" ")[0])
            else stance(sentence, at, end)
        )
        found = list(_stated(lines, sentence, plain))
        forbidden += [each._replace(breaks=True) for mark, each in found if mark == "="]
        if wants == "forbidden":
            # A forced push is one of the pushes, and comes first.
            forbidden += [
                each._replace(
                    breaks=each.tool != COMMAND
                    or not is_of_place
                    or any(place in each.pattern for place in ("prod", "live", "@"))
                )
                for mark, each in found
                if mark not in ("?", "=")
                and not (each.tool == PUSH and any(one.tool == PUSH for one in forbidden))
                and not (each.pattern == "*" and "git push -" in sentence)
            ]
            named = named or [each for mark, each in found if mark == "?"]
        elif wants == "limited":
            limited += [each for _, each in found]
        elif wants != "allowed":
            named = named or [each for mark, each in found if mark not in ("!", "=")]
    yield from forbidden or limited or named


def of_library(name: str) -> list[Trigger]:
    """The triggers of what brings a library in: imports of it, and what installs it."""
    lines = (
        "!Text(import NAME); !Text(from NAME); !Text('NAME'); !Text(\"NAME\"); !Text(NAME =)"
        "; !Bash(npm|pnpm|yarn|bun|deno install|add ~NAME)"
        "; !Bash(pip|pip3|pipenv|conda|mamba install ~NAME)"
        "; !Bash(uv|poetry|pdm|cargo|bundle|dotnet add ~NAME); !Bash(uv pip install ~NAME)"
        "; !Bash(go get ~NAME); !Bash(composer require ~NAME)"
    )
    return [parse(line.replace("NAME", name)) for line in lines.split("; ")]


def of_programs(sentence: str, named: Collection[str]) -> Iterator[Trigger]:
    """The triggers of an act that is forbidden with a program: “don't install browsers for
    playwright” is about `playwright install`."""
    for verb, subcommands in SUBCOMMANDS.items() if named else ():
        found = spot(folded(sentence), verb)
        wants = stance(sentence, *found) if found else "named"
        for program in named if wants in ("forbidden", "limited") else ():
            yield Trigger(COMMAND, f"{program} {subcommands}", wants == "forbidden")


def _stated(lines: str, sentence: str, plain: str) -> Iterator[tuple[str, Trigger]]:
    """The triggers of a row, each with its mark, for the machine, branches and programs named."""
    stated = [(line[: line[0] in "!?="], parse(line.lstrip("!?="))) for line in lines.split("; ")]
    known = programs.IN_RULES - programs.WORDS_TOO - {"git"}
    own = {
        program
        for mark, each in stated
        if mark != "=" and each.tool == COMMAND
        for program in program_of(each.pattern).split("|")
        if program in known and spot(plain, program)
    }
    # What a rule names itself leaves out the other programs that rules name.
    if own:
        stated = [
            (mark, left)
            for mark, each in stated
            if (left := _without(each, programs.IN_RULES - own if each.tool == COMMAND else ()))
        ]
    # The words of these groups, as the rule says them, are put into the triggers.
    groups = ("HOST", "VERSION", "CONTEXT", "SERVICE", "DAEMON")
    said = {name: plain[slice(*at)] for name in groups if (at := spot(plain, name))}
    said |= {
        "WRITES": "insert|update|delete|drop|truncate|alter|create|grant",
        "LEASE": "--force-with-lease" * ("with-lease" in plain),
        # To bring a branch up to date is not what is meant by merging one.
        "UPSTREAM": "main|master|develop|origin/main|origin/master|origin/develop|upstream/main",
        "PREFIX": "/*|".join(re.findall(r"(?<![\w/])([a-z]+)/", plain)),
    }
    named = list(rule_words.BRANCH.regex.finditer(sentence))
    # “Never push to main, push to develop” is against the one alone.
    denied = [one for one in named if stance(sentence, *one.span()) in ("forbidden", "limited")]
    branches = [one[1] or f"{one[2]}/*" for one in denied or named]
    for mark, each in stated:
        for one in branches or (["*"] if each.tool == PUSH else [""]):
            if one or "BRANCH" not in each.pattern:
                yield mark, _filled(each, {**said, "BRANCH": one})


def _without(trigger: Trigger, left_out: Collection[str]) -> Trigger | None:
    """A trigger for those of its programs that are not left out; None where none remains."""
    named, *rest = trigger.pattern.split(" ")
    kept = "|".join(one for one in named.split("|") if one not in left_out)
    return trigger._replace(pattern=" ".join((kept, *rest))) if kept else None


def _filled(trigger: Trigger, named: Mapping[str, str]) -> Trigger:
    """A trigger of a row with what a rule names in place of the words of capitals; what is right
    without a word for it is left out."""
    tool, pattern, unless = trigger.tool, trigger.pattern, trigger.unless
    if any(name in unless and not value for name, value in named.items()):
        unless = ""
    for name, value in named.items():
        tool, pattern = tool.replace(name, value), pattern.replace(name, value)
        unless = unless.replace(name, value)
    return trigger._replace(tool=tool, pattern=pattern, unless=unless)
