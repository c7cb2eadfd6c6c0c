/** The patterns with which answers in several languages state an option. All ignore case. */
import { joinSpaced, joinUnspaced } from '../../text/answer-words/answer-words.js'
import type { AnswerWords } from '../../text/answer-words/language-words.js'

/** Alternatives of a pattern. A space stands for any white space. */
export const joinAlternatives = (...words: readonly string[]): string =>
  `(?:${words.join('|').replaceAll(' ', '\\s+')})`

/** No letter or digit follows. */
export const edge = '(?![\\p{L}\\p{N}])'
/** No letter or digit precedes. */
export const start = '(?<![\\p{L}\\p{N}])'

/** Words that state an option before a colon only: "Final: B". */
const outcomes = joinAlternatives(
  "ans|(?<!(?:not|n[’']t|never) )(?:correct|right)|correction|scratch that|final|verdict|conclusion|decision|result|prediction|output|selection|selected|solution",
)
const gap = '[\\s"\'“”‘’*_`(\\[{【「『（<>]'
const colon = '\\s*["\'”*_`)]*\\s*(?:[:=：]|—|–|->|→)'
const linkWords = `(?:${gap}{0,8}${joinSpaced(({ links }) => links)}${edge}){0,3}`

/** The name of a conclusion in one language, with a colon or a verb: "the answer to this question is". */
function stateConclusion({ nouns, qualities, verbs }: AnswerWords): string {
  const between = qualities === undefined ? '' : `(?: (?:${qualities})){0,3}`
  const verb = verbs === undefined ? '' : `(?:${verbs})${edge}`
  return verb === ''
    ? `(?:${nouns})${between}${colon}`
    : `(?:${nouns})${between}(?:${colon}(?:\\s*${verb})?| ${verb}\\s*:?)`
}

/** A correction of an option that was stated before: "Wait, actually, it is B". */
const hesitations = joinSpaced(({ corrects }) => corrects)
const corrected = `(?:${hesitations}[\\s,.:;!…—–-]+(?:${hesitations}[\\s,.:;!…—–-]+){0,3}(?:it|that|the answer)(?:[’']s|\\s+(?:is|should be|must be|has to be))${edge}|it\\s+(?:should|must|has to)\\s+be${edge})`

const breakMark = '(?:[,.:;!…—–،।。，、！：]|(?<=\\s)-(?=\\s))'
const anyVerb = joinSpaced(({ verbs }) => verbs)
const pronoun = '(?:(?:it|that|es|das|det|se|ce|to|این|זה) )?'.replaceAll(' ', '\\s+')
/** Longer words need no comma behind them: "Actually C", but "No, C". */
const pause = `(?:\\s*${breakMark}+\\s*|(?<=[\\p{L}\\p{M}]{4}|[\\u0900-\\u097f]{2}\\s[\\u0900-\\u097f]{2,4})\\s+)`

/** The name of a conclusion that needs no verb: "Pardon, doğru cevap C". */
const namedConclusion = joinSpaced(({ nouns, qualities, verbs }) =>
  verbs === undefined ? `(?:(?:${qualities ?? nouns}) )?(?:${nouns})` : undefined,
)

/** The words before a letter that takes another one back: "Actually no, C", "Nein, C", 不对，应该是C. */
export const correction = new RegExp(
  `${start}(?:${hesitations}${pause}){1,4}(?:${namedConclusion}\\s+)?(?:${pronoun}${anyVerb}\\s+)?${linkWords}` +
    `|(?:(?:${joinUnspaced(({ corrects }) => corrects)}(?:\\s*${breakMark}\\s*|(?<=보니)\\s+)){1,3}|而是|(?:其实|其實|实际上|應該|应该)(?=是))(?:应该|應該|应当|答案)?(?:是|为|為|选|選|は|는|은|คือ|ข้อ)?`,
  'giu',
)

/** The words before a stated option: "the answer is", "Antwort:", 答案是, 故选, 정답은. */
export const conclusion = new RegExp(
  `${start}${joinSpaced(stateConclusion)}${linkWords}` +
    `|${start}${corrected}${linkWords}|${start}ans\\.${gap}{1,4}` +
    `|${start}${outcomes}${colon}${linkWords}` +
    `|${joinUnspaced(({ nouns }) => nouns)}(?:[\\s:=,、]|${joinUnspaced(({ links }) => links)}){0,6}`,
  'giu',
)

/** A name of options that stands directly before a letter: "option B", 选项B, 보기 B. */
export const optionName = new RegExp(
  `${start}${joinSpaced(({ nouns }) => nouns)}|选项|選項|選択肢|선택지|보기|옵션|ตัวเลือก|ข้อ`,
  'giu',
)

/** Says in one language that what stands before is right. Some languages need no verb. */
function stateRight({ verbs, right }: AnswerWords): string {
  const adverb = '(?:(?:the|la|die|el|clearly|definitely|indeed|most likely) )?'
  return verbs === undefined ? ` (?:${right})` : ` (?:${verbs}) ${adverb}(?:${right})`
}

/** The words after an option that is right: "C is correct", "B ist richtig", B是正确的, B가 정답. */
export const isRight = new RegExp(
  `[)\\]*_"”.:）】」]*(?:${joinSpaced(stateRight)}${edge}` +
    `|\\s*${joinUnspaced(({ right }) => right)}|\\s+верн\\p{L}*${edge})`,
  'iuy',
)
