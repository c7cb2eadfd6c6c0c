/** Words that deny an option, in several languages. All patterns ignore case. */
import { comparedForm, type ChoiceText } from './option-text.js'
import { joinAlternatives, edge, start } from './option-words.js'

/** Phrases that hold a word of denial and deny nothing: "no doubt", "not only", 不难. They are blanked out first. */
export const harmless = new RegExp(
  joinAlternatives(
    "(?:no|without (?:a|any)|beyond(?: a| any)?|don[’']t|not) (?:doubt(?:s|ed)?|question)|not (?:only|just|merely)",
    'not hard to \\p{L}+',
    "(?:cannot|can[’']t|could(?: not|n[’']t)|is not|isn[’']t) (?:be )?(?:anything|any)(?: \\p{L}+)? (?:but|than|except)",
    "(?<!(?:if|when|let[’']?s?) )(?:I|we)(?:[’']d| would| will| can| must)? (?:assume|suppose|imagine)(?: that)?",
    '(?:nothing|none|no \\p{L}+)(?: other)? (?:but|than|except)|不(?:难|難)(?:看出|得出|知道)?|不得不|不仅|不僅|无疑|毫无疑问|無疑',
    '不(?:正确|正確|对|對|符合)的(?:选项|選項|说法|一项|是|答案)*',
  ),
  'giu',
)

/** The apostrophe is missing in the form in which texts of choices are compared. */
const contracted = "(?:is|are|was|were|do|does|did|ca|could|would|should|must|wo|has|have|had)n[’']?t"

const denials = joinAlternatives(
  `${contracted}|no longer|(?:all|any(?:thing|one)?|every(?:thing|one)?) but|(?:is|are|was|were|see|has|have|with) no`,
  "not|never|neither|nor|\\p{L}+n[’']t|cannot|hardly|than|instead of|except(?: for)?|excluding",
  '(?:wrong|incorrect) to|(?:not enough|insufficient) (?:information|evidence|data) to',
  // What is only supposed is not said.
  'assum(?:e|ing)|suppos(?:e|ing)|imagin(?:e|ing)|in case|hypothetically|(?<=(?:^|[.!?,;\\n])\\s*)(?:had|were)',
  'no option|no answer|unlike|doubt(?:ful|s)?|unlikely|unsure|uncertain|unclear|whether|if|unless|none of|without',
  '(?:rul(?:e|es|ed|ing)|cross(?:ed|ing)?) out|eliminat(?:e|es|ed|ing)|exclud(?:e|es|ed)|reject(?:s|ed|ing)?',
  'avoid(?:s|ing)?|disagree(?:s|d)?|dismiss(?:ed|ing)?|discard(?:ed|ing)?',
  'nicht|weder|kein(?:e|er)?|außer|pas|ni|sauf|no (?:es|era|creo|puede|sea)|nunca|tampoco|salvo|excepto|não',
  'nem|non|né|tranne|niet|nie|ani|bukan|không(?: phải)?|не|ни|нет|кроме|ليست?|لا|غير|לא|نه|नहीं',
)
/** The only words that may stand between a denial and the letter that it denies: "don't think that the answer is". */
const fillers = joinAlternatives(
  "be|been|is|are|was|were|it|it[’']s|that|this|the|an|as|to|for|of|in|by|my|our|your|would|could|should|must|can",
  'will|if|whether|either|both|about',
  '(?:the )?(?:correct|right|best|final|true) (?:answer|option|choice|one)s?|answers?|options?|choices?',
  'letters?|question|problem',
  'choos(?:e|ing)|pick(?:ing)?|select(?:ing)?|go(?:ing)?|with|say(?:ing)?|tell|know|think|believe|see|agree',
  'suggest|determine|decide|conclude|sure|certain|convinced|(?:true|case) that|possibly|really|actually',
  'necessarily|simply|likely',
  'die|der|das|ist|sein|antwort|option|la|le|les|est|réponse|es|opción|respuesta|é|opção|resposta|è|opzione',
  'risposta|это|ответ|вариант|هو|هي|الخيار|הוא|היא|là|adalah|jawaban',
)
const mark = '[\\s"\'“”‘’*_`()\\[\\]{}:<>$]'
/** Letters before this one in a list: "neither A, B nor". */
const listed =
  '(?:[\\s"\'*_`(\\[]*[a-z][)\\]*_`"\']*\\s*(?:,|/|&|、|或|和|及|与|與|,?\\s*(?:or|nor|and|und|oder|noch|ou|ni|o|y|e|и|или|ни)(?![\\p{L}])))'

/** Ends a text before a letter that is denied. */
export const deniedBefore = new RegExp(
  `(?:${start}${denials}${edge}(?:${mark}{1,4}${fillers}${edge}){0,12}${listed}{0,10}(?:\\s*${joinAlternatives('or', 'nor', 'and')})?${mark}{0,6}` +
    // "No B" denies B, "No, B" and "No. B" answer a question.
    `|${start}no\\s+["'“”‘’*_\`(\\[]{0,4}$` +
    `|${start}(?:wrong|incorrect)(?:\\s+(?:answers?|options?|choices?))?${mark}{0,4}:${mark}{0,6}$` +
    `|${start}(?:wrong|incorrect|false|worst|trap|least\\s+likely)\\s+(?:(?:answers?|options?|choices?|one|statements?)\\s+|(?<=likely\\s+))(?:is|are)${mark}{1,6}$` +
    // A crossed or empty box before the letter.
    `|(?:^|\\n)[\\s*-]*(?:[✗✘❌✖]|\\[ \\])\\s*[(*_]{0,3}$` +
    `|ไม่(?:ใช่|เลือก)(?:ข้อ|ตัวเลือก|คำตอบ|${mark}){0,4}$` +
    `|(?:不|并非|並非|而非|非|没有?|沒有?|无法|無法|排除掉?了?|除了?|未必)(?:(?<![,，]\\s?)(?:是|选择?|選擇?|会|會|能|可能|应该?|應該?|该|認為|认为|觉得|确定|確定|知道|判断|判断出|说|答案|选项|選項|是否|为|為)|${listed}|${mark}){0,8})$`,
  'iu',
)

const wrong = joinAlternatives(
  'not|never|wrong|incorrect|less \\p{L}+|worse|false|out|eliminated|excluded|ruled out|crossed out|unlikely|impossible',
  'implausible|irrelevant|inaccurate|untrue|invalid|hardly|neither',
  'nicht|falsch|unrichtig|keine?|pas|faux|fausse|incorrecte|incorrect[ao]|fals[ao]|errad[ao]|errat[ao]',
  'sbagliat[ao]|onjuist|fout|incorret[ao]|błędn[aey]|nieprawidłow[aey]',
)
const verbs = joinAlternatives(
  'is|are|was|were|(?:would|will|could|must|might) be|seems?|looks?|being|can be|ist|sind|est|sont|es|son|é|è',
  'zijn|está|jest',
)
const adverbs = joinAlternatives(
  'the|the only|also|clearly|definitely|obviously|therefore|thus|simply|both|all|certainly|probably|just',
)
const plural = `(?:(?:\\s*,\\s*\\(?[a-z]\\)?)*\\s*,?\\s*(?:and|or|nor|&)\\s*\\(?[a-z]\\)?)(?=\\s+(?:are|were|aren|weren|do|don|can|cannot|could|have))`
const can = 'cannot(?! be (?:determined|inferred|answered|known|concluded|said))'.replaceAll(' ', '\\s+')

/** "B would be right only if it were red" does not say that B is right, unlike "B would be my choice if I had to guess". */
const supposed = joinAlternatives(
  'would (?:be|have been)(?: \\p{L}+){1,3},? (?:only )?(?:if|unless|had|assuming|provided)(?! (?:I|we|you|one)(?!\\p{L}))',
)

/** Begins a text after a letter that is denied: "is wrong", "cannot be", 不对, が違う, 아닙니다. */
export const deniedAfter = new RegExp(
  `^(?:[*_"'”’\`)\\]]{0,4}(?:\\s*\\([^()]{0,80}\\))?(?:${plural})?\\s+(?:${verbs}\\s+(?:${adverbs}\\s+){0,2}${wrong}${edge}` +
    `|${contracted}${edge}|${can}${edge}|n[’']est pas|no es|não é|non è` +
    `|(?:does|do|did|would|could|can|should|will|must|has|have)\\s+not${edge}|fails?${edge}|(?:contradicts|violates|conflicts)${edge}|(?:has|have)\\s+been\\s+${wrong}${edge}|${verbs}\\s+(?:(?:an?|the)\\s+)?(?:\\p{L}+\\s+){0,2}(?:distractor|trap|but\\s+(?:wrong|incorrect))${edge}|${supposed}|scheidet aus|değil|नहीं|गलत|(?:غير\\s+صحيح|خطأ|خاطئ)\\p{L}*|(?:विकल्प|seçeneği|şıkkı)?\\s*yanlış|sai${edge}|salah|ผิด|не(?:верн|правильн)?\\p{L}*)` +
    `|[*_"'”’)\\]]{0,4}\\s*(?:[:(–—-]\\s*(?:wrong|incorrect)${edge}|[:(–—-]?\\s*[✗✘❌])` +
    `|[*_"'”’)\\]]{0,4}\\s?\\?\\s*(?:no|nope|not)${edge}` +
    `|["'”’*_)\\]）】」』]{0,3}\\s*(?:选项|選項|项|項)?(?:并|並)?(?:不(?:是|对|對|正确|正確|符合|成立|选|選|行|可能|合适|合適|能|会|會|应|應|太)|错|錯|与题意不|與題意不|有误|有誤|是(?:错|錯|不)|被?排除|明显不|显然不|都不|均不)` +
    `|["'”*_)\\]）】」』]{0,3}\\s*(?:は|が|も|では|じゃ)\\s*(?:ではな|じゃな|でな|な[いく]|違|誤|間違|正しくな|不正|不適|あり得な|ありえな|除)|["'”*_)\\]）】」』]{0,3}\\s*(?:では|じゃ)(?:な|あり)` +
    `|["'”*_)\\]）】」』]{0,3}\\s*번?\\s*(?:이|가|은|는|도)?\\s*(?:아니|아닙|아닌|아님|틀|오답|옳지|맞지|정답이\\s*아))`,
  'iu',
)

/** Ends a text before a letter that is a part of a name: "Plan B", "vitamin C", "see Figure B". */
export const namedBefore = new RegExp(
  `${start}(?:${joinAlternatives(
    'plan|vitamin[ae]?s?|hepatitis|influenza|appendix|annex|exhibit|section|chapter|blood (?:type|group)',
    'key of|(?:written|programmed|programming) in',
    '(?:see|cf\\.?|refer(?:ring)? to|shown in|seen in|according to|depicted in|illustrated in|as in) (?:the )?\\p{L}+\\.?',
  )}|tab(?:le|\\.))\\s+["'“(*_]{0,3}$`,
  'iu',
)

/** Begins a text after such a letter: "B cells", "C minor". */
export const namedAfter = new RegExp(
  `^\\s+${joinAlternatives(
    'cells?|lymphocytes?|vitamins?|virus(?:es)?|minor|major|flat|sharp|compilers?|programming|movies?',
  )}${edge}`,
  'u',
)

/** Matches the begin of a sentence that asks. */
export const question =
  /^[\s"'“*(-]*(?:is|are|was|could|can|might|may|would|should|shall|does|do|did|why|what|how about)(?!\p{L})/iu

/** A place in the answer that names an option. */
export interface Mention {
  /** Undefined if the letter may mean one of two options. */
  readonly letter: string | undefined
  readonly start: number
  readonly end: number
}

/** The number of characters on either side of a mention that are searched for words that deny it. */
const reach = 160

/** Returns whether the words around a letter deny it, or ask for it. */
export function isDenied(answer: string, { letter, start, end }: Mention, choices: readonly ChoiceText[]): boolean {
  const ahead = answer.slice(Math.max(0, start - reach), start).replace(harmless, phrase => ' '.repeat(phrase.length))
  if (deniedBefore.test(ahead)) return true
  const rest = answer.slice(end, end + reach)
  if (isAsked(ahead, rest)) return true
  if (isTextDenied(rest, choices[(letter ?? '').charCodeAt(0) - 65])) return true
  if (!deniedAfter.test(rest)) return false
  // In "(D) cannot be determined" the words are those of the choice.
  const own = choices[(letter ?? '').charCodeAt(0) - 65]?.form ?? ''
  const follows = comparedForm(rest).replace(/^[)\]:.\s]+/, '')
  return own === '' || !follows.startsWith(own)
}

/** Returns whether a label's own text is denied: "B: green is wrong". */
function isTextDenied(rest: string, choice: ChoiceText | undefined): boolean {
  const label = /^[*_"\])]{0,4}[:.)]\s+/.exec(rest)?.[0]
  if (label === undefined || choice === undefined || choice.text === '') return false
  const text = rest.slice(label.length)
  return text.toLowerCase().startsWith(choice.text.toLowerCase()) && deniedAfter.test(text.slice(choice.text.length))
}

/** Returns whether the sentence asks for the option: "Could it be B?" */
function isAsked(ahead: string, rest: string): boolean {
  const [sentence = ''] = /[^.!?\n。！？]*$/u.exec(ahead) ?? []
  return question.test(sentence) && /^[^.!\n。！]*[?？]/u.test(rest)
}
