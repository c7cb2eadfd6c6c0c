/** The words with which answers in several languages state an option. All patterns ignore case. */

/** Alternatives of a pattern. A space stands for any white space. */
export const joinAlternatives = (...words: readonly string[]): string =>
  `(?:${words.join('|').replaceAll(' ', '\\s+')})`

/** No letter or digit follows. */
export const edge = '(?![\\p{L}\\p{N}])'
/** No letter or digit precedes. */
export const start = '(?<![\\p{L}\\p{N}])'

/** Names of the conclusion in languages with spaces: answer, option. */
const spacedNouns = joinAlternatives(
  'answer|option|choice|antwort(?:option)?|lösung|auswahl|réponse|choix',
  'respuesta|opción|opcion|alternativa|resposta|opção|risposta|opzione|scelta',
  'antwoord|optie|odpowied[źz]|odpověď|cevap|cevabı|yanıt|seçenek|jawaban(?:nya)?|pilihan',
  'válasz|svar(?:et)?|đáp án|câu trả lời|ответ(?:ом)?|вариант|відповідь|απάντηση',
  'ال[إا]جابة|إجابة|الجواب|الخيار|התשובה|תשובה|پاسخ|گزینه|उत्तर|विकल्प|জবাব|উত্তর',
)
/** Words that may stand between that name and the verb: "the answer to this question is". */
const qualities = joinAlternatives(
  'to (?:the|this|that) (?:question|problem)|here|correcte?|correc?t[ao]s?|exacte|bonne|corrett[ao]|giusta',
  'certa|ответа|richtige?|doğru|yang benar|đúng|الصحيحة?|الأصح|הנכונה|صحیح',
)
const spacedVerbs = joinAlternatives(
  'is|(?:would|should|must|has to|will|could|might|may) be|seems to be|remains|ist|lautet|wäre|est|serait',
  'es|sería|é|seria|è|sarebbe|jest|je|adalah|ialah|là|это|будет|является|είναι',
  'هي|هو|היא|است|है|হল',
)
/** Words that may stand between the verb and the letter: "is clearly option". */
const links = joinAlternatives(
  'definitely|clearly|therefore|thus|likely|most likely|probably|simply|indeed|still|then|also',
  'donc|quindi|dunque|portanto|entonces|daher|somit|dus',
  "the|la|le|l[’']|die|der|das|el|a letra|lettre|letra|буква|под буквой|letter|number|η|το",
  "options?|choices?|answer|opción|opção|opzione|l[’']option|antwort|вариант|الخيار|گزینه",
)

/** Chinese, Japanese, Korean and Thai write these without spaces, and the verb may be missing: 答案B, 选B, 답 B. */
const unspacedNouns = joinAlternatives(
  '答案|正[确確]的?(?:选项|選項)|答え|正解|正答|解答|回答|結論|结论|答|选择?(?!项)|選擇?(?!項|択)',
  '정답|답안?|해답|คำตอบ(?:ที่ถูกต้อง|ที่ถูก)?|ตอบ|ຄໍາຕອບ|ចម្លើយ|အဖြေ',
)
const unspacedLinks = joinAlternatives(
  '是|为|為|即|乃|应该?|應該?|就|只能|只有|一定|必|肯定|显然|可能|选择?|選擇?|选项|選項',
  '正确的?|的|は|が|として|選択肢|은|는|이|가|번호|คือ|ข้อ|ตัวเลือก|ແມ່ន|គឺ|မှာ',
)

/** Words that state an option before a colon only: "Final: B". */
const outcomes = joinAlternatives(
  'ans|correction|scratch that|final|verdict|conclusion|decision|result|prediction|output|selection|selected|solution',
)
const gap = '[\\s"\'“”‘’*_`(\\[{【「『（<>]'
const colon = '\\s*["\'”*_`)]*\\s*(?:[:=：]|—|–|->|→)'

/** A correction of an option that was stated before: "Wait, actually, it is B". */
const hesitations = joinAlternatives('wait|actually|no|sorry|hmm|rather|I think|oops|correction')
const corrected = `(?:${hesitations}[\\s,.:;!…—–-]+(?:${hesitations}[\\s,.:;!…—–-]+){0,3}(?:it|that|the answer)(?:[’']s|\\s+(?:is|should be|must be|has to be))${edge}|it\\s+(?:should|must|has to)\\s+be${edge})`

/** The words before a stated option: "the answer is", "Antwort:", 答案是, 故选, 정답은. */
export const conclusion = new RegExp(
  `${start}${spacedNouns}(?:\\s+${qualities}){0,3}(?:${colon}(?:\\s*${spacedVerbs}${edge})?|\\s+${spacedVerbs}${edge}\\s*:?)(?:${gap}{0,8}${links}${edge}){0,3}` +
    `|${start}${corrected}(?:${gap}{0,8}${links}${edge}){0,3}|${start}ans\\.${gap}{1,4}` +
    `|${start}${outcomes}${colon}(?:${gap}{0,8}${links}${edge}){0,3}` +
    `|${unspacedNouns}(?:[\\s:=,、]|${unspacedLinks}){0,6}`,
  'giu',
)

/** A name of options that stands directly before a letter: "option B", 选项B, 보기 B. */
export const optionName = new RegExp(`${start}${spacedNouns}|选项|選項|選択肢|선택지|보기|옵션|ตัวเลือก|ข้อ`, 'giu')

/** The words after an option that is right: "C is correct", "B ist richtig", B是正确的, B가 정답. */
export const isRight = new RegExp(
  `[)\\]*_"”.:）】」]*(?:\\s+${spacedVerbs}\\s+(?:${joinAlternatives(
    'the|la|die|el|clearly|definitely|indeed|most likely',
  )}\\s+)?` +
    `${joinAlternatives(
      'correcte?|correc?t[ao]|right|best|answer|true|richtige?|korrekt|bonne|corrett[ao]|giust[ao]|réponse',
      'respuesta|resposta|верн\\p{L}*|правильн\\p{L}*',
    )}${edge}` +
    `|\\s*(?:选项|選項|项|項)?\\s*(?:才?是|最|为|為)?\\s*(?:正确|正確|对|對|正解|答案|符合|最合适|最佳)` +
    `|\\s*(?:が|は)\\s*(?:正解|正し|答え|適切|正答)|\\s*번?\\s*(?:이|가|은|는)\\s*(?:정답|맞|옳|답)|\\s*ถูกต้อง|\\s+верн\\p{L}*${edge})`,
  'iuy',
)
