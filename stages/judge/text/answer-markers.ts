/** Words that announce the final answer, in the languages that models answer in. */
import { correction } from '../helpers/options/option-words.js'

/** The words of each language, by its ISO 639-1 code. English is below. */
export const announcements: Readonly<Record<string, string>> = {
  de: 'antwort|lösung|ergebnis',
  nl: 'antwoord',
  fr: 'réponse',
  es: 'respuesta',
  pt: 'resposta',
  it: 'risposta',
  sv: 'svar(?:et)?',
  pl: 'odpowiedź',
  ru: 'ответ(?:ом)?',
  uk: 'відповідь(?:ю)?',
  el: 'απάντηση',
  tr: 'cevap|yanıt',
  id: 'jawaban',
  vi: 'đáp (?:án|số)|câu trả lời',
  zh: '答案|解答|答(?=[:：是为])',
  ja: '答え',
  ko: '정답|답(?=[은:：])',
  ar: 'الجواب|الإجابة|الاجابة',
  he: 'התשובה|תשובה',
  hi: 'उत्तर|जवाब',
  th: 'คำตอบ',
  ca: 'resposta',
  da: 'svar(?:et)?',
  no: 'svar(?:et)?',
  ro: 'răspuns(?:ul)?',
  fi: 'vastaus',
  hu: 'válasz',
  cs: 'odpověď',
  sk: 'odpoveď',
  hr: 'odgovor',
  bg: 'отговор(?:ът)?',
  fa: 'پاسخ|جواب',
  ur: 'جواب',
  bn: 'উত্তর|জবাব',
  ta: 'பதில்|விடை',
  sw: 'jibu',
  tl: 'sagot',
  lo: 'ຄຳຕອບ|ຄໍາຕອບ',
  km: 'ចម្លើយ',
  my: 'အဖြေ',
}

/** English uses the word in other ways too, so it needs a verb, a colon or the end of the line. */
const english = String.raw`answer(?:[*_]{0,3}[^\S\n]*(?:[:=]|\n)|[^.\n:=$\\\d]{0,60}?\s(?:is|are|equals|(?:would|must|should|will|has to|comes out to|turns out to) be)(?![\p{L}])(?:\s*:)?)`

/**
 * The rest of a line that holds nothing but a number and perhaps its unit, behind `####` as in GSM8K. A heading such as
 * `#### 1. Count the rows` has more words.
 */
export const resultLine = String.raw`(?=[^\S\n]*[^\p{L}\p{N}\n#]{0,6}\d[\d.,/^]*[^\S\n]?(?:[\p{L}°%]{1,15}\.?)?[^\p{L}\p{N}\n]*(?:\n|$))`

/** The hashes before a line that is a result. */
const resultHashes = `(?<![^\\n])#{4}(?!#)${resultLine}`

/** Labels of a line that is the result: "Result: 42". In a sentence they may name any step. */
const labels = String.raw`(?<=(?:^|\n)[^\S\n]*[#*_>]{0,4}[^\S\n]*)(?:final |overall )?(?:result|solution|conclusion|output|prediction|final)[*_]{0,3}[^\S\n]*[:=]`

const marker = new RegExp(
  `(?<![a-zа-яё])(?:${english}|${Object.values(announcements).join('|')})|${labels}|${resultHashes}`,
  'giu',
)

/** Matches a value that ends its sentence, behind words that take back another one: "Actually no, 74." */
const correctedValue =
  /^[\s"'“*_$(]{0,6}-?(?:\p{Sc}\s?)?\d[\d.,/]*\s?%?\s?(?:[\p{L}\p{M}]{1,12})?[\s"'”*_$)]*(?:[.!。！]|$|\n)/u

/** Words that go on from what was thought at first: "… is 31, but it is 74". */
const afterThought =
  /[,，;、]?\s?(?:(?<!\p{L})(?:but|aber|sondern|mais|pero|sino|mas|ma|men|maar|но|але|ale|lecz|αλλά|ama|fakat|tetapi|nhưng)\s+(?:(?!there|da|il|hay)[\p{L}\p{M}’']+\s+){1,3}|c[’']est\s+|(?:但|而)(?:实际上)?是)/giu

/** Words that take a stated value back and name another one, which ends its sentence: "I meant", 訂正します, ошибся. */
const mistakes = [
  'o+ps|whoops|i meant|my (?:mistake|bad)|i (?:mis\\p{L}+|made (?:a|an) (?:\\p{L}+ )?(?:mistake|error))|correct(?:ion|ing)|let me (?:correct|fix)',
  'verrechnet|geirrt|vertan|korrektur|ich meinte?|trompée?|rectifi\\p{L}+|je voulais dire|équivoqué|equivoqué|perdón|corrijo|corrigiendo|corrección|quise decir|corrigindo|correção|enganei|errei|desculpe?|quis dizer|sbagliat[oa]|correzione|correggo|scusa(?:te)?|volevo dire',
  'vergist|ik bedoel(?:de)?|correctie|jag menade|rättelse|räknade fel|pomyłka|pomyliłem|poprawka|przepraszam|ошиб(?:ся|лась|ка)|исправля\\p{L}*|поправка|точнее|вернее|помилився|виправл\\p{L}+|λάθος μου|διόρθωση|pardon|düzelt\\p{L}+|maaf|ralat|koreksi|xin lỗi|đính chính|nhầm',
]
  .join('|')
  .replaceAll(' ', '\\s+')
const mistake = new RegExp(
  `(?:(?<![\\p{L}\\p{M}])(?:${mistakes})(?![\\p{L}])|算错了?|更正|纠正|修正|说错了?|訂正|間違え|計算し直|失礼|정정|다시 계산|잘못 계산|수정|عفوا|عفوًا|تصحيح|أخطأت|माफ़|सुधार|ขอแก้|แก้ไข)[^\\d\\n=]{0,50}?(?=[-\\p{Sc}$*]{0,3}\\d)`,
  'giu',
)

/** Labels of a short form of the answer, which count where nothing else announces one: "TL;DR: 42." */
const summary =
  /(?:^|\n)[^\S\n]*[#*_>]{0,4}(?:tl;?\s?dr|in short|in brief|short|kurz(?: gesagt)?|en bref|en resumen|em resumo|in breve|kortom|коротко|короче|kısaca|singkatnya|tóm lại|简答|简而言之|簡潔に|要するに|요약)[*_]{0,3}[^\S\n]*[:：]/giu

/** Words before the name of an answer that explains the short one: "Long answer: there are 2 red balls …". */
const longForm =
  /(?:long|detailed|lange|ausführliche|longue|détaillée|larga|detallada|longa|detalhada|lunga|подробный|развёрнутый|详细|詳しい|자세한)[\s*_]*$/iu
const longFormBehind = /^\s*(?:longue|détaillée|larga|detallada|longa|detalhada|lunga|dettagliata)/iu

/** The positions behind the words that announce an answer, or take an announced one back, the last one first. */
export function answerPositions(text: string): readonly number[] {
  const markers = [...text.matchAll(marker)]
  const short = markers.filter(
    ({ 0: words, index }) =>
      !longForm.test(text.slice(Math.max(0, index - 20), index)) &&
      !longFormBehind.test(text.slice(index + words.length, index + words.length + 20)),
  )
  const [chosen] = [short, markers, [...text.matchAll(summary)]].filter(({ length }) => length > 0)
  const announced = (chosen ?? []).map(match => match.index + match[0].length)
  const [first] = announced
  if (first === undefined) return []
  const corrected = [...text.matchAll(correction), ...text.matchAll(afterThought), ...text.matchAll(mistake)]
    .map(match => match.index + match[0].length)
    .filter(at => at > first && correctedValue.test(text.slice(at, at + 60)))
  return [...new Set([...announced, ...corrected])].sort((a, b) => b - a)
}
