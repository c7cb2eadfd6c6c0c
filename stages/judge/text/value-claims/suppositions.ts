/** Tells whether a sentence of an answer only supposes a value, or asks for it. */
import { joinColumn, wordEnd, wordStart, type WordTable } from './patterns.js'

/** Words that begin a clause in which nothing is stated, and words that end such a clause. */
const suppositions: WordTable = {
  en: {
    before: [
      "if|unless|suppose(?: that)?|supposing|assume(?: that)?|assuming|imagine|let(?:[’']s| us)? (?:say|assume|suppose|try|test|check|pretend)|what if|in case|hypothetically|provided",
    ],
    after: ['would (?:be|have been)(?: \\p{L}+){1,3},? (?:if|unless|provided)(?! (?:I|we|you|one)(?!\\p{L}))'],
  },
  de: { before: ['wenn|falls|angenommen|nehmen wir an|sofern|gesetzt den fall'] },
  fr: {
    before: [
      "si (?:x|n|y|on|nous|le|la|les|l[’']|il|elle|chaque|c[’']était)|supposons|admettons|en supposant|imaginons",
    ],
  },
  es: {
    before: ['si (?:x|n|y|el|la|los|las|cada|hay|fuera\\p{L}*|tenemos)|supongamos|suponiendo|imaginemos|asumamos'],
  },
  pt: { before: ['se (?:x|n|y|o|os|fosse\\p{L}*|for|houver|cada)|suponha(?:mos)?|supondo|imagine(?:mos)?'] },
  it: { before: ['se (?:x|n|y|il|fosse\\p{L}*|ci|ogni)|supponiamo|supponendo|ammettiamo|immaginiamo'] },
  nl: { before: ['als (?:x|n|het|er|we|elke?)|stel dat|indien|veronderstel'] },
  sv: { before: ['om (?:x|n|det|svaret|varje)|antag(?: att)?|anta(?: att)?'] },
  pl: { before: ['jeśli|jeżeli|gdyby|załóżmy|przypuśćmy'] },
  ru: { before: ['если(?: бы)?|предположим|допустим|пусть'] },
  uk: { before: ['якщо|якби|припустимо'] },
  tr: { before: ['eğer|varsayalım|diyelim'], after: ['olsaydı|ise|olduğunu varsay'] },
  id: { before: ['jika|kalau|andaikan|misalkan|seandainya'] },
  vi: { before: ['nếu|giả sử'] },
  zh: { before: ['如果|假设|假設|假如|若|倘若|要是|设(?=\\s?[a-zA-Z])'] },
  ja: { before: ['もし|仮に'], after: ['(?:だ|な)?(?:とすると|とすれば|としたら|ならば|なら|だったら|と仮定)'] },
  ko: { before: ['만약|만일|가령'], after: ['(?:이)?(?:라면|라고 (?:가정|하면)|이면)'] },
  ar: { before: ['إذا|لو|بافتراض|لنفترض|نفترض'] },
  he: { before: ['אם|נניח|בהנחה'] },
  hi: { before: ['अगर|यदि|मान ले|मान लो|मान लीजिए'] },
  th: { before: ['ถ้า|หาก|สมมติ|สมมุติ'] },
  el: { before: ['αν|εάν|έστω|ας υποθέσουμε'] },
}

/** Words that begin a question, and words that end one. */
const questions: WordTable = {
  en: {
    before: [
      "(?:so |and |but |or |then )?(?:is|are|was|were|could|can|might|may|would|will|should|shall|do|does|did|has|have|what|which|how|why|who|when|where|isn[’']t|aren[’']t|couldn[’']t|can[’']t|should(?:n[’']t)?)",
    ],
  },
  de: { before: ['ist|sind|war|wäre|könnte|kann|sollte|was|wie|warum|wieso|welche\\p{L}*'] },
  fr: {
    before: ["est-ce|serait-ce|sont-ce|est-il|peut-(?:ce|il)|pourrait-\\p{L}+|combien|quel\\p{L}*|pourquoi|c[’']est"],
  },
  es: { before: ['¿.*|es|son|será|sería|puede|podría|cuánto\\p{L}*|cuál\\p{L}*|qué'] },
  pt: { before: ['é|são|será|seria|pode|poderia|quanto\\p{L}*|qual|o que'] },
  it: { before: ['è|sono|sarà|sarebbe|può|potrebbe|quant\\p{L}*|qual\\p{L}*|che'] },
  nl: { before: ['is|zijn|was|kan|zou|hoeveel|wat|welke?'] },
  sv: { before: ['är|kan|kunde|skulle|hur|vad|vilken'] },
  pl: { before: ['czy|ile|jaki?\\p{L}*|co'] },
  ru: { before: ['это|разве|неужели|может|сколько|какой|каков\\p{L}*|равно ли|а если'], after: ['ли'] },
  uk: { before: ['це|чи|хіба|може|скільки|який'] },
  tr: { after: ['m[ıiuü](?:dür|dır|dir|dur)?'] },
  id: { before: ['apakah|berapa|mungkinkah|benarkah'] },
  vi: { before: ['có phải|liệu|bao nhiêu|có thể'], after: ['(?:phải )?không|à|chăng'] },
  zh: { before: ['是不是|是否|难道|多少|什么|会不会'], after: ['吗|嗎|呢|么'] },
  ja: { before: ['何'], after: ['か|でしょうか|ですか'] },
  ko: { before: ['혹시'], after: ['인가요?|일까요?|입니까|인지|나요|ㄴ가'] },
  ar: { before: ['هل|أ|كم|ما'] },
  he: { before: ['האם|כמה|מה'] },
  hi: { before: ['क्या|कितन\\p{L}*|कौन'] },
  th: { before: ['ใช่'], after: ['ไหม|หรือไม่|หรือเปล่า|มั้ย|ใช่ไหม|ใช่หรือ'] },
  el: { before: ['είναι|μήπως|πόσ\\p{L}*|ποι\\p{L}*'] },
}

const agreed =
  'yes|yep|yeah|indeed|correct|right|exactly|that is correct|ja|genau|oui|sí|sim|sì|да|так|tak|evet|ya|có|đúng|是的?|对|對|正确|はい|そうです|네|예|نعم|כן|हाँ|हां|ใช่|ναι'

/** No one supposes with these: "I suppose it is 42", "as if", "even if". */
const harmless =
  /(?<!\p{L})(?:(?:I|we|one)(?:[’']d| would| will| can| must| do)? (?:assume|suppose|imagine)|as if|even if)(?!\p{L})/giu

const clause = new RegExp(`${wordStart}(?:${joinColumn(suppositions, 'before')})${wordEnd}`, 'giu')
const supposedAfter = new RegExp(`^[\\s\\p{L}$)*}]{0,3}(?:${joinColumn(suppositions, 'after')})`, 'iu')
const asks = new RegExp(`^[\\s*_#>"'“(¿-]*(?:${joinColumn(questions, 'before')})(?:${wordEnd}|(?<=[¿هلأ]))`, 'iu')
const asked = new RegExp(`(?:${joinColumn(questions, 'after')})[\\s*_"'”)]*$`, 'iu')
const confirmed = new RegExp(`^[?？؟]["'”*_)\\s]*(?:${agreed})${wordEnd}`, 'iu')

/** The number of characters of a sentence that are searched before and after a value. */
const reach = 160
const endOfSentence = /[.!?？！。؟।;；](?=\s|$|["'”*_)])|[？！。।；]|\n/u
/** Ends a clause that supposes something. A comma between digits is no end. */
const endOfClause =
  /[,，、:](?!\d)|(?<!\p{L})(?:then|dann|alors|entonces|então|allora|dan|то|тогда|則|则|那么|so|we)(?!\p{L})|则|那么|就|(?<=\p{L}\s)the (?:final |correct )?(?:answer|result|total|value|sum)(?!\p{L})/iu

/** Returns whether the sentence around the value from `start` to `end` supposes the value or asks for it. */
export function isValueSupposed(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const ahead =
    text
      .slice(Math.max(0, start - reach), start)
      .split(endOfSentence)
      .at(-1) ?? ''
  const rest = text.slice(end, end + reach)
  const stop = endOfSentence.exec(rest)
  const sentence = rest.slice(0, stop?.index ?? rest.length)
  return (
    isInClause(ahead, sentence) || supposedAfter.test(rest) || isAsked(ahead, sentence, rest.slice(sentence.length))
  )
}

/**
 * Returns whether a clause that supposes something reaches from before the value to behind it. A clause that nothing
 * ends holds its first number only: in "If it goes 60 km/h for 2 h it covers 120 km" 120 is stated.
 */
function isInClause(ahead: string, sentence: string): boolean {
  const plain = ahead.replace(harmless, phrase => '.'.repeat(phrase.length))
  const last = [...plain.matchAll(clause)].at(-1)
  if (last === undefined) return false
  const between = plain.slice(last.index + last[0].length).replace(/^[\s,，、:]+/, '')
  if (endOfClause.test(between)) return false
  return endOfClause.test(sentence) || !/\d/.test(between)
}

const isAsked = (ahead: string, sentence: string, stop: string): boolean =>
  /^[?？؟]/.test(stop) && !confirmed.test(stop) && (asks.test(ahead) || asked.test(sentence) || ahead.trim() === '¿')
