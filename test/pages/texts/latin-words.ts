/** Words in Latin letters that Hebrew texts have too: names, units, and what stands for code. */
const allowed = new Set(
  `API CSV DOCX English HTML JSON KB MB GB TB ID Markdown Meduyak Node js OpenAI PDF Postgres Python UTC Word Esc all curl
projects write example name org NUL RTF Hebrew RSS http https ms
Ollama vLLM llama cpp LM Studio nginx`.split(/\s+/),
)

/** Words of two Latin letters or more in a text or in markup, without tags, code and what is allowed. */
export function wordsOfLatin(markup: string): readonly string[] {
  const text = markup
    // Settings in texts that a view marks as code.
    .replace(/`[^`]*`/g, ' ')
    .replace(/<(code|pre|kbd|script|style|title)\b[\s\S]*?<\/\1>/g, ' ')
    // Names that somebody chose find their own direction.
    .replace(
      /<(bdi|a|b|h1|h2|option|span|td|th)\b[^>]*(?:\bdir="(?:auto|ltr)"[^>]*|(?<=<bdi))>[^<]*<\/\1>/g,
      ' ',
    )
    .replace(/<[^>]*>/g, ' ')
    .replace(/&\w+;|&#\d+;/g, ' ')
    .replace(/\b(?:req|run)_\w+/g, ' ')
  return (text.match(/[A-Za-z]{2,}/g) ?? []).filter((word) => !allowed.has(word))
}
