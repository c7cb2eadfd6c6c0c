/** Words that deny an option, in several languages. All patterns ignore case. */
import { comparedForm, type ChoiceText } from './option-text.js'
import { joinSpaced, joinUnspaced, spacedLanguages } from '../../text/answer-words/answer-words.js'
import type { AnswerWords } from '../../text/answer-words/language-words.js'
import { laterOrdinals } from './ordinals.js'
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

const mark = '[\\s"\'“”‘’*_`()\\[\\]{}:<>$]'
/** Words between several answers: or, and. */
export const anyJoin = `(?<!\\p{L})${joinSpaced(({ joins }) => joins)}(?!\\p{L})|${joinUnspaced(({ joins }) => joins)}`
/** Letters before this one in a list: "neither A, B nor". */
const listed = `(?:[\\s"'*_\`(\\[]*[a-z][)\\]*_\`"']*\\s*(?:,|/|&|,?\\s*(?:${anyJoin})))`
/** "Unlike A and B, C" does not go on with C: a comma behind the last part of a list ends it. */
const listEnd = `(?<!(?<!\\p{L})[a-z][)\\]*_"]{0,3},?\\s+(?:${anyJoin})\\s+[(\\[*_"]{0,3}[a-z][)\\]*_"]{0,3},)`
/** English needs further words: "isn't", "no longer", "anything but". */
const englishDenials = joinAlternatives(
  `${contracted}|no longer|(?:all|any(?:thing|one)?|every(?:thing|one)?) but|(?:is|are|was|were|see|has|have|with) no`,
)

/** A word of denial in one language, with the words of that language that may follow it. */
const denyInLanguage = ({ denials, fillers }: Pick<AnswerWords, 'denials' | 'fillers'>): string =>
  `(?:${denials})${edge}${fillers === undefined ? '' : `(?:${mark}{1,4}(?:${fillers})${edge}){0,12}`}`

/** Ends a text before a letter that is denied. */
export const deniedBefore = new RegExp(
  `(?:${start}(?:${joinSpaced(denyInLanguage)}|${denyInLanguage({ ...spacedLanguages.english, denials: englishDenials })})` +
    `${listed}{0,10}${listEnd}(?:\\s*${joinAlternatives('or', 'nor', 'and')})?${mark}{0,6}` +
    // "No B" denies B, "No, B" and "No. B" answer a question.
    `|${start}no\\s+["'“”‘’*_\`(\\[]{0,4}$` +
    `|${start}(?<!(?:is|was|are|were|am|[’']s)\\s+)(?:wrong|incorrect)(?:\\s+(?:answers?|options?|choices?))?${mark}{0,4}:${listed}{0,10}${mark}{0,6}$` +
    `|${start}(?:wrong|incorrect|false|worst|trap|least\\s+likely)\\s+(?:(?:answers?|options?|choices?|one|statements?)\\s+|(?<=likely\\s+))(?:is|are)${mark}{1,6}$` +
    // A crossed or empty box before the letter.
    `|(?:^|\\n)[\\s*-]*(?:[✗✘❌✖]|\\[ \\])\\s*[(*_]{0,3}$` +
    `|${joinUnspaced(({ denials, fillers }) => `(?:${denials})(?:${fillers}|${listed}|${mark}){0,8}`)})$`,
  'iu',
)

const wrong = joinAlternatives(
  'not|never|wrong|incorrect|less \\p{L}+|worse|false|out|eliminated|excluded|ruled out|crossed out|unlikely|impossible',
  'implausible|irrelevant|inaccurate|untrue|invalid|hardly|neither',
)
const verbs = joinAlternatives('is|are|was|were|(?:would|will|could|must|might) be|seems?|looks?|being|can be')
const adverbs = joinAlternatives(
  'the|the only|most likely|likely|presumably|actually|completely|totally|really|still|also|clearly|definitely|obviously|therefore|thus|simply|both|all|certainly|probably|just',
)
const plural = `(?:(?:\\s*,\\s*\\(?[a-z]\\)?)*\\s*,?\\s*(?:and|or|nor|&)\\s*\\(?[a-z]\\)?)(?=\\s+(?:are|were|aren|weren|do|don|can|cannot|could|have))`
const can = 'cannot(?! be (?:determined|inferred|answered|known|concluded|said))'.replaceAll(' ', '\\s+')

/** "B would be right only if it were red" does not say that B is right, unlike "B would be my choice if I had to guess". */
const supposed = joinAlternatives(
  'would (?:be|have been)(?: \\p{L}+){1,3},? (?:only )?(?:if|unless|had|assuming|provided)(?! (?:I|we|you|one)(?!\\p{L}))',
)

/** Says in one language that what stands before is not meant, or is wrong. */
const denyAfter = ({ negated, wrong: isWrong, verbs: own }: AnswerWords): string =>
  `(?:${negated})|${own === undefined ? '' : `(?:(?:${own}) )?(?:\\p{L}+ )?`}(?:${isWrong})`

const closing = '[*_"\'”’\`)\\]}$]{0,4}'
const allWrong = joinSpaced(({ wrong: isWrong }) => isWrong)

/** Begins a text after a letter that is denied: "is wrong", "cannot be", 不对, が違う, 아닙니다. */
export const deniedAfter = new RegExp(
  `^(?:${closing}(?:\\s*\\([^()]{0,80}\\))?(?:${plural})?\\s+(?:${verbs}\\s+(?:${adverbs}\\s+){0,2}${wrong}${edge}` +
    `|(?:is|was|would be|could be)\\s+(?:my|the|a)\\s+(?:\\p{L}+\\s+)?(?:${laterOrdinals}|next\\s+best|alternative|runner[\\s-]*up|back-?up)${edge}(?!\\s+(?:option|answer|letter))|${contracted}${edge}|${can}${edge}|(?<!\\n)${joinSpaced(denyAfter)}${edge}` +
    `|(?:has|have)\\s+been\\s+${wrong}${edge}|${verbs}\\s+(?:(?:an?|the)\\s+)?(?:\\p{L}+\\s+){0,2}(?:distractors?|traps?|mistakes?|errors?|but\\s+(?:wrong|incorrect))${edge}|${supposed}|не(?:верн|правильн)?\\p{L}*)` +
    `|${closing}\\s*(?:[:(–—-]\\s*${allWrong}${edge}|[:(–—-]?\\s*[✗✘❌])` +
    `|${closing}\\s?\\?\\s*(?:no|nope|not)${edge}` +
    `|${closing},?\\s+but\\s+(?:they|that|this|it|he|she|I|we)\\s+(?:${verbs})\\s+(?:wrong|mistaken|incorrect)${edge}` +
    `|["'”’*_)\\]）】」』]{0,3}(?:\\s*(?:、|${joinUnspaced(({ joins }) => joins)})\\s*[a-z]){0,8}\\s*${joinUnspaced(({ denied }) => denied)}` +
    `|${closing}[.,;!]?\\s+(?:but\\s+)?I\\s+(?:\\p{L}+ly\\s+)?disagree(?=\\s*(?:[.,;!]|$))` +
    `|["'”’*_)\\]）】」』]{0,3}\\s*[:：(（–—-]\\s*${joinUnspaced(({ wrong: isWrong }) => isWrong)})`,
  'iu',
)

/** Ends a text before a letter that is only the next best choice: "2nd choice: A", "my second guess is A". */
const secondBefore = new RegExp(
  `${start}(?:${laterOrdinals}|(?:next|second|third)[\\s-]+best|alternative|runner[\\s-]*up|back-?up|fallback|other|another|previous|initial|original|(?<!(?:my|our) )earlier)` +
    `(?:\\s+(?:best\\s+)?(?:choice|guess|pick|preference|candidate|possibility|answer|wahl|vermutung|choix|elección|opción|escolha|opção|scelta|keuze|val|wybór|выбор|вариант)|\\s?(?:選択|候補|选择|選擇|答案|선택|후보))?` +
    `(?:\\s*[:：]|\\s+(?:is|would be|was|ist|wäre|est|serait|es|sería|é|seria|è|sarebbe|är|er|это)|是|は|은|는|为)?${mark}{0,6}$`,
  'iu',
)

/** Ends a text before a letter that is a part of a name: "Plan B", "vitamin C", "see Figure B". */
export const namedBefore = new RegExp(
  `${start}(?:${joinAlternatives(
    'plan|grade|vitamin[ae]?s?|hepatitis|influenza|appendix|annex|exhibit|section|chapter|blood (?:type|group)',
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
  if (deniedBefore.test(ahead) || secondBefore.test(ahead)) return true
  const rest = answer.slice(end, end + reach)
  if (isAsked(ahead, rest) || (wouldBe.test(ahead) && ifSo.test(rest))) return true
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

/** Begins a text after a letter that is asked for and then affirmed: "Is it C? Yes." */
const affirmed = new RegExp(
  `^[^.!?\\n。！？]{0,40}[?？]["'”’)*_\\s]*(?:${joinSpaced(({ yes }) => yes)}${edge}|${joinUnspaced(({ yes }) => yes)})`,
  'iu',
)

/** Stand around a letter that would be the answer under a condition: "The answer would be A if it were red." */
const wouldBe = new RegExp(
  `${start}(?:would|could|might) (?:be|have been)${mark}{1,6}$|${start}(?:wäre|serait|sería|seria|sarebbe)${mark}{1,6}$`,
  'iu',
)
const ifSo = new RegExp(
  `^${closing},?\\s+(?:(?:only )?(?:if|unless)(?!\\s+(?:I|we|you|one)${edge})|wenn|falls|si|se)${edge}`,
  'iu',
)

/** Returns whether the sentence asks for the option: "Could it be B?" */
function isAsked(ahead: string, rest: string): boolean {
  const [sentence = ''] = /[^.!?\n。！？]*$/u.exec(ahead) ?? []
  return question.test(sentence) && /^[^.!\n。！]*[?？]/u.test(rest) && !affirmed.test(rest)
}
