import { html } from 'hono/html'
import type { EnglishTexts } from '../../en/index.ts'

const largerModel = 'אין הגדרה שמתקנת זאת. נדרש מודל גדול יותר או פחות מכווץ'
const toolServer =
  'ב־vLLM: הפעלה עם `--enable-auto-tool-choice --tool-call-parser NAME`. ב־llama.cpp: `--jinja`. ב־Ollama: מודל עם התגית `tools` ו־`num_ctx` גדול יותר'
const window =
  'ב־Ollama: `num_ctx`, ב־llama.cpp: `-c`, ב־vLLM: `--max-model-len`, ב־LM Studio: `Context Length`'
const vision = 'לקבוע `images` ל־`false`, או להפעיל את השרת עם חלק הראייה שלו (ב־llama.cpp: `--mmproj`)'
const template = 'תבנית השיחה של המודל עצמו (ב־llama.cpp: `--jinja`) וחלון גדול יותר (ב־Ollama: `num_ctx`)'

export const models: EnglishTexts['operator']['models'] = {
  title: 'מודלים',
  notChecked: html`עדיין לא נבדק מודל. <code dir="ltr">npm run -s service -- models check</code> שולח למודל כ־25
קריאות קטנות ואומר אם הוא טוב דיו לשאלות.`,
  goodEnough: 'טוב דיו לשאלות.',
  notGoodEnough: 'אינו טוב דיו לשאלות.',
  checked: 'נבדק',
  checks: 'בדיקות',
  counts: (ok, adapted, failed, skipped) =>
    `${ok} תקינות, ${adapted} בהתאמה, ${failed} נכשלו, ${skipped} לא נבדקו`,
  firstText: 'טקסט ראשון',
  seconds: (seconds) => `אחרי ${seconds} שניות`,
  speed: 'מהירות',
  tokensPerSecond: (rate) => `${rate} אסימונים בשנייה`,
  price: 'מחיר הבדיקה',
  cost: (calls, credits) => `${credits} קרדיטים על ${calls} קריאות`,
  table: (model) => `ממצאי הבדיקה של ${model}`,
  check: 'בדיקה',
  result: 'תוצאה',
  found: 'מה נראה',
  remedy: 'תיקון',
  failed: 'נכשלה',
  failedUseful: 'נכשלה, אינה הכרחית לשאלות',
  adapted: 'בהתאמה',
  titles: {
    answer: 'תשובה',
    first_text: 'טקסט ראשון',
    stream: 'הזרמה',
    system: 'הודעת מערכת',
    follow_up: 'שאלת המשך',
    temperature: 'טמפרטורה',
    stop: 'טקסט עצירה',
    max_tokens: 'מגבלת אורך',
    json: 'סכמת JSON',
    tool_call: 'קריאה לכלי',
    two_calls: 'שתי קריאות יחד',
    tool_result: 'תוצאת כלי',
    two_results: 'שתי תוצאות כלי',
    five_steps: 'חמישה צעדים',
    forced_tool: 'כלי חובה',
    long_context: 'הקשר ארוך',
    image: 'תמונה',
    hebrew_points: 'עברית מנוקדת',
    quotation: 'ציטוט',
    marks: 'סימני מקור',
    invented_ref: 'מקור שאינו קיים',
    cancel: 'ביטול',
    usage: 'ספירת אסימונים',
    reasoning: 'הפרדת ההנמקה',
  },
  findings: {
    no_reply: {
      says: 'השרת אינו עונה',
      remedy: 'להפעיל את השרת ולתקן את `base_url`. הכתובת נגמרת לפני `/chat/completions`, לרוב ב־`/v1`',
    },
    unauthorized: {
      says: 'השרת דוחה את המפתח',
      remedy: 'לתקן את `api_key`. שער עשוי לדרוש כותרת ב־`headers`',
    },
    not_found: {
      says: 'השרת אינו מכיר את הכתובת או את המודל',
      remedy: 'לתקן את `base_url`, את `name` (שם המודל בשרת) ואת `api`',
    },
    rate_limited: {
      says: 'השרת אינו מקבל עוד קריאות כרגע',
      remedy: 'להעלות את המגבלה אצל הספק, או להוסיף שרת ב־`fallbacks` עם `"on": ["rate_limit"]`',
    },
    no_reply_in_time: {
      says: 'התשובה לא התחילה או לא הסתיימה בזמן',
      remedy:
        'להעלות את `first_word_seconds`, להשאיר את המודל בזיכרון (ב־Ollama: `OLLAMA_KEEP_ALIVE=-1`), או להוריד את `reasoning`',
    },
    broken_stream: {
      says: 'הזרם נקטע לפני סופו',
      remedy: 'לעיין ביומן של השרת ושל השרתים שלפניו. זמן ההמתנה שלהם צריך להיות ארוך מתשובה',
    },
    server_failed: {
      says: 'השרת נכשל',
      remedy: 'לעיין ביומן של השרת. לזמנים כאלה אפשר להוסיף שרת ב־`fallbacks`',
    },
    request_refused: {
      says: 'השרת דוחה את הבקשה',
      remedy: 'לקבוע את ה־`api` של הספק, ולהסיר מ־`body` ומ־`headers` מה שאינו מוכר לו',
    },
    endless_reply: {
      says: 'התשובה אינה נגמרת',
      remedy: 'לקבוע `max_output_tokens`, ולהשתמש בתבנית השיחה של המודל (ב־llama.cpp: `--jinja`)',
    },
    other_server: {
      says: 'ענה שרת אחר מתוך `fallbacks`',
      remedy: 'לבדוק את השרת הראשון לבדו: ערך משלו, בלי `fallbacks`',
    },
    left_out: {
      says: 'השרת דוחה פרמטר, והקריאה נעשתה בלעדיו',
      remedy: 'אין צורך בדבר: הקריאות הבאות משמיטות אותו מיד. ללקוחות ששולחים אותו אין לו השפעה',
    },
    no_text: {
      says: 'בתשובה אין טקסט',
      remedy: 'להעלות את `max_output_tokens`, או לקבוע `reasoning` ל־`low` או ל־`off`',
    },
    slow_first_text: {
      says: 'הטקסט הראשון מגיע באיחור',
      remedy: 'לקבוע `reasoning` ל־`low` או ל־`off`, להשאיר את המודל בזיכרון, או לבחור מודל קטן יותר',
    },
    one_piece: {
      says: 'כל התשובה מגיעה בבת אחת',
      remedy: 'לבטל אגירה בשרתים שלפני השרת (ב־nginx: `proxy_buffering off`)',
    },
    system_forgotten: {
      says: 'המודל אינו מציית להודעת המערכת',
      remedy: 'תבנית שיחה שיש בה הודעות מערכת (ב־llama.cpp: `--jinja`, ב־Ollama: `TEMPLATE` עם `.System`)',
    },
    history_forgotten: { says: 'המודל אינו יודע מה נאמר קודם', remedy: template },
    stop_ignored: {
      says: 'הטקסט נמשך אחרי טקסט העצירה',
      remedy: 'אין הגדרה שמתקנת זאת. כדאי לומר למשתמשים במודל של־`stop` אין השפעה',
    },
    max_tokens_ignored: {
      says: 'התשובה ארוכה מן המגבלה',
      remedy: 'לקבוע את ה־`api` של הספק: שם יש למגבלה שם אחר. ייתכן ששער משמיט אותה',
    },
    schema_refused: {
      says: 'השרת דוחה סכמת JSON',
      remedy:
        'לעדכן את השרת: vLLM,‏ llama.cpp,‏ Ollama ו־LM Studio מקבלים סכמות. עד אז נכשלות בקשות עם `response_format`',
    },
    json_invalid: {
      says: 'התשובה אינה לפי סכמת ה־JSON',
      remedy: 'שרת שאוכף סכמות (vLLM,‏ llama.cpp,‏ Ollama מגרסה 0.5), או `temperature` של 0',
    },
    json_corrected: {
      says: 'רק התשובה השנייה הייתה לפי סכמת ה־JSON',
      remedy: 'שרת שאוכף סכמות. בלעדיו כל תשובה כזאת עולה שתי קריאות',
    },
    tools_refused: { says: 'השרת דוחה כלים', remedy: toolServer },
    no_tool_call: { says: 'המודל אינו קורא לכלי', remedy: toolServer },
    tool_call_in_text: { says: 'הקריאה לכלי כתובה בתוך הטקסט', remedy: toolServer },
    unknown_tool: {
      says: 'המודל קורא לכלי שאינו קיים',
      remedy: 'ב־vLLM: ה־`--tool-call-parser` של המודל. אחרת נדרש מודל גדול יותר',
    },
    malformed_arguments: {
      says: 'הארגומנטים של הקריאה אינם מה שהכלי מקבל',
      remedy: 'ב־vLLM: ה־`--tool-call-parser` של המודל. אחרת `temperature` של 0, או מודל גדול יותר',
    },
    one_call_only: {
      says: 'המודל קורא לכלי אחד בכל פעם',
      remedy:
        'שאלות עובדות, ביותר צעדים. llama.cpp ועוד שרתים צריכים `"body": {"parallel_tool_calls": true}`',
    },
    result_unread: { says: 'התשובה אינה משתמשת בתוצאת הכלי', remedy: template },
    results_lost: {
      says: 'התשובה משתמשת רק באחת משתי תוצאות',
      remedy: 'תבנית שיחה שמקבלת כמה תוצאות אחרי הודעה אחת, או `"body": {"parallel_tool_calls": false}`',
    },
    history_refused: {
      says: 'השרת דוחה שיחה שיש בה קריאות לכלים',
      remedy: 'לקבוע את ה־`api` של הספק: הוא מבקש בחזרה הנמקה, חתימות או מזהים משלו',
    },
    steps_broken: {
      says: 'המודל נעצר לפני הצעד האחרון',
      remedy:
        'לקבוע `reasoning` ל־`medium` או ל־`high`, ולהגדיל את החלון (ב־Ollama: `num_ctx`). אחרת נדרש מודל גדול יותר',
    },
    tool_choice_ignored: {
      says: 'המודל אינו קורא לכלי גם כשהקריאה היא חובה',
      remedy: 'לשאלות אין צורך בדבר. לקוחות ששולחים `tool_choice` צריכים מודל אחר, או `reasoning` של `off`',
    },
    tool_choice_refused: {
      says: 'השרת דוחה כלי חובה',
      remedy: 'לקבוע `reasoning` ל־`off`: יש מודלים שדוחים זאת בזמן שהם מנמקים',
    },
    window_smaller: {
      says: 'החלון של השרת קטן מ־`context_tokens`',
      remedy: `להוריד את \`context_tokens\`, או להגדיל את החלון. ${window}`,
    },
    prompt_cut: {
      says: 'השרת חותך פניות ארוכות בלי לומר זאת',
      remedy: `להוריד את \`context_tokens\`, או להגדיל את החלון. ${window}`,
    },
    needle_missed: {
      says: 'המודל אינו מוצא משפט בתוך פנייה ארוכה',
      remedy: 'להוריד את `context_tokens` למה שהמודל קורא היטב',
    },
    image_refused: { says: 'השרת דוחה תמונות', remedy: vision },
    image_unseen: { says: 'המודל אינו רואה את התמונה', remedy: vision },
    points_lost: { says: 'הניקוד של טקסט עברי אובד', remedy: largerModel },
    letters_changed: {
      says: 'טקסט שהמודל חזר עליו אינו זהה אות באות',
      remedy: `לקבוע \`temperature\` ל־0. ${largerModel}`,
    },
    marks_dropped: { says: 'התשובה אינה מציינת את הקטעים שקיבלה', remedy: largerModel },
    marks_invented: { says: 'בתשובה סימן מקור שלא ניתן', remedy: largerModel },
    ref_invented: { says: 'המודל ממציא טקסט למקור שאינו קיים', remedy: largerModel },
    cancel_ignored: {
      says: 'קריאה שבוטלה נמשכת',
      remedy: 'לדווח על כך כתקלה של השירות, עם ה־`api` של הערך',
    },
    usage_missing: {
      says: 'השרת אינו מוסר ספירת אסימונים',
      remedy:
        'עד שימסור, החיובים הם אומדן. יש שערים שצריכים `"body": {"stream_options": {"include_usage": true}}`',
    },
    usage_impossible: {
      says: 'השרת מוסר ספירה בלתי אפשרית',
      remedy: 'לתקן את `context_tokens`, או לעדכן את השרת. כשהספירה בלתי אפשרית החיוב הוא אומדן',
    },
    reasoning_in_text: {
      says: 'ההנמקה כתובה בתוך התשובה',
      remedy:
        'ב־vLLM: `--reasoning-parser NAME`. ב־llama.cpp: `--jinja --reasoning-format auto`. בשרתים אחרים: `reasoning` של `off`',
    },
    needs_other: { says: 'נדרשת בדיקה אחרת שלא עברה', remedy: 'לתקן אותה תחילה' },
    images_off: { says: 'לפי הערך המודל אינו קורא תמונות', remedy: 'לקבוע `images` ל־`true` אם הוא קורא' },
    lite_model: { says: 'מודלים עם `lite` אינם מקבלים כלים', remedy: 'אין צורך בדבר' },
    token_bound: {
      says: 'הבדיקה הגיעה למגבלת האסימונים שלה',
      remedy: 'לקבוע `reasoning` ל־`low`, כדי שקריאות יצרכו פחות אסימונים',
    },
  },
}
