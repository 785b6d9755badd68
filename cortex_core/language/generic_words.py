"""Words that any prompt to a coding agent may hold. Standard library only: hooks load this."""

GENERIC = frozenset(
    """
    add again also another best better big bug build call change check clean code comment commit
    continue correct create delete detail different do doc docs done drop edit end error everything
    example explain fail fails file files find fine first fix function functions give go good happen
    help idea implement improve instead issue keep kind last less let like line lines list little
    long look looks make mean message method missing module move name need never new next nice no
    nothing now number ok okay old one open order other part print problem put question read really
    refactor remove rename replace result review rewrite right run same say section see sensible
    set short show simple single small something split start still stop sum sure take tell test
    tests text thank thanks thing things think three time times try turn two type update use used
    using value version wait want way well word words work works write wrong yes
    一下 一个 什么 代码 使用 修复 修改 函数 可以 怎么 我们 所有 报错 换成 提交 文件 显示 更新 检查
    没有 测试 添加 现在 看看 编写 运行 还是 这个 那个 错误 问题 需要 项目 为什 帮我 不要 继续
    实现 加一 新的 一些 时候 然后 如何 能不 是不
    して てく くだ ださ さい する した ます です コー ード ファ ァイ イル テス スト エラ ラー 追加
    修正 関数 実行 変更 作成 確認 更新 削除 使っ こと これ この その ない ある いる から まで なぜ
    코드 파일 함수 테스 스트 추가 수정 실행 에러 오류 변경 확인 해줘 주세 세요 하세 합니 니다 이거
    """.split()
)
"""Words, or pairs of letters, that any prompt to a coding agent may hold: they hardly say what it
is about."""
