/**
 * Says of numbers in an answer that none of them is a value by itself: bounds ("at least 5", 5以上), ranges ("40 to
 * 45"), alternatives ("40 or 45"), pairs ("3 and 4") and quantities of several units ("3 h 4 min").
 */
import { joinColumn, reach, wordStart, type WordTable } from './patterns.js'

/** Words that make a bound of the number behind or before them. */
const bounds: WordTable = {
  en: {
    before: [
      'at (?:least|most)|(?:no |not )?(?:more|less|fewer|greater|larger|smaller|higher|lower|bigger) than(?: or equal to)?|up to|over|under|above|below|exceed(?:s|ing)?|an? (?:minimum|maximum) of|minimum(?: of)?|maximum(?: of)?',
    ],
    after: [
      '(?:or|and) (?:more|less|fewer|greater|higher|lower|above|below|over|under|up|older|younger)',
      'at (?:least|most)(?=\\s*(?:[.,;!)]|$))',
      '(?:minimum|maximum)(?=\\s*(?:[.,;!)]|$))',
    ],
  },
  de: {
    before: [
      'mindestens|wenigstens|höchstens|maximal|minimal|(?:mehr|weniger) als|(?:größer|kleiner|höher|niedriger)(?: oder gleich)?(?: als)?|über|unter|bis zu',
    ],
    after: ['(?:oder|und) (?:mehr|weniger|höher|größer|kleiner)'],
  },
  fr: {
    before: [
      "au (?:moins|plus|maximum|minimum)|(?:plus|moins) d[e’']|(?:supérieure?|inférieure?)s?(?: ou égale?)? à|jusqu[’']à|maximum|minimum",
    ],
    after: ['ou (?:plus|moins)|au (?:moins|plus|minimum|maximum)(?=\\s*(?:[.,;!)]|$))'],
  },
  es: {
    before: [
      '(?:al|por lo|a lo) (?:menos|más|sumo)|como (?:máximo|mínimo)|(?:más|menos) de|(?:mayor|menor)(?:es)?(?: o igual)? (?:que|a|de)|hasta|máximo|mínimo|un (?:máximo|mínimo) de',
    ],
    after: ['o (?:más|menos)|como (?:máximo|mínimo)'],
  },
  pt: {
    before: [
      '(?:pelo|ao) menos|no (?:máximo|mínimo)|(?:mais|menos) (?:de|do que)|(?:maior|menor)(?:es)?(?: ou igual)? (?:que|a|do que)|até|máximo de|mínimo de',
    ],
    after: ['ou (?:mais|menos)|no (?:máximo|mínimo)'],
  },
  it: {
    before: [
      'almeno|al (?:massimo|minimo|più)|(?:più|meno) di|(?:maggiore|minore)(?: o uguale)? (?:di|a)|fino a|massimo|minimo',
    ],
    after: ['o (?:più|meno)|al (?:massimo|minimo)'],
  },
  nl: {
    before: ['minstens|minimaal|ten minste|hoogstens|maximaal|(?:meer|minder|groter|kleiner) dan|tot en met'],
    after: ['of (?:meer|minder)'],
  },
  sv: {
    before: ['minst|högst|(?:mer|mindre|fler|färre|större) än|upp till|över|under'],
    after: ['eller (?:mer|mindre|fler|färre)'],
  },
  pl: {
    before: [
      'co (?:najmniej|najwyżej)|przynajmniej|(?:więcej|mniej|większ\\p{L}+|mniejsz\\p{L}+) niż|ponad|poniżej|powyżej|maksymalnie|minimalnie',
    ],
    after: ['(?:lub|albo) (?:więcej|mniej)'],
  },
  cs: { before: ['alespoň|nejméně|nejvýše|(?:více|méně) než'], after: ['nebo (?:více|méně)'] },
  ru: {
    before: [
      '(?:не )?(?:менее|более|больше|меньше|свыше)(?: чем)?|как минимум|минимум|максимум|(?:по )?(?:крайней|меньшей) мере|хотя бы|до(?=\\s)|выше|ниже',
    ],
    after: ['(?:и|или) (?:более|больше|менее|меньше|выше|ниже)'],
  },
  uk: {
    before: ['щонайменше|щонайбільше|не (?:менше|більше)|(?:більше|менше)(?: ніж)?|понад|принаймні'],
    after: ['(?:і|або|чи) (?:більше|менше)'],
  },
  el: {
    before: [
      'τουλάχιστον|το πολύ|(?:περισσότερ\\p{L}+|λιγότερ\\p{L}+|μεγαλύτερ\\p{L}+|μικρότερ\\p{L}+) (?:από|του)|πάνω από|κάτω από|έως',
    ],
    after: ['ή (?:περισσότερ|λιγότερ)\\p{L}+'],
  },
  tr: {
    before: ['en (?:az|fazla|çok)|azami|asgari'],
    after: ["['’]?(?:[td][ea]n|[dt]an)\\s+(?:fazla|az|çok|büyük|küçük|daha)|veya (?:daha )?(?:fazla|az)"],
  },
  id: {
    before: [
      '(?:se)?(?:paling|tidaknya)(?: (?:sedikit|banyak|tidak))?|setidaknya|sekurang-kurangnya|(?:lebih|kurang)(?: \\p{L}+)? dari|minimal|maksimal|minimum|maksimum',
    ],
    after: ['atau (?:lebih|kurang)|ke atas'],
  },
  vi: {
    before: [
      'ít nhất(?: là)?|nhiều nhất(?: là)?|tối (?:đa|thiểu)(?: là)?|(?:nhiều |ít |lớn |nhỏ )?hơn|trên|dưới|không quá',
    ],
    after: ['trở (?:lên|xuống)|hoặc (?:nhiều|ít) hơn'],
  },
  zh: {
    before: [
      '至少(?:是|为|有)?|最(?:多|少|大|小)(?:是|为|有)?(?<!值[是为])|(?:不)?超过|不?(?:大|小|多|少|高|低)[于於](?:或等[于於])?(?:等[于於])?|不到|不足|不少[于於]|不超過|超過|高达',
    ],
    after: ['\\s?[个個米公里元岁天年]{0,2}(?:以上|以下|以内|及以上|或更[多少高低])'],
  },
  ja: {
    before: ['少なくとも|最大|最小|最低|多くとも|せいぜい'],
    after: ['\\s?\\p{L}{0,3}?(?:以上|以下|未満|より(?:大き|小さ|多|少)|を(?:超え|下回|上回))'],
  },
  ko: {
    before: ['최소(?:한)?|최대(?:한)?|적어도|많아야|기껏해야'],
    after: ['\\s?\\p{L}{0,3}?\\s?(?:이상|이하|미만|초과|보다\\s?(?:크|작|많|적|큰|더))'],
  },
  ar: {
    before: ['على (?:الأقل|الأكثر)|(?:أكثر|أقل|أكبر|أصغر)(?: من)?|لا (?:يقل|يزيد) عن'],
    after: ['(?:أو|ف)\\s?(?:أكثر|أقل|أكبر)|على (?:الأقل|الأكثر)'],
  },
  he: { before: ['לפחות|לכל היותר|(?:יותר|פחות|גדול|קטן) מ-?'], after: ['(?:או|ו)\\s?(?:יותר|פחות|מעלה)|לפחות'] },
  hi: {
    before: ['कम से कम|अधिकतम|न्यूनतम|ज़्यादा से ज़्यादा|अधिक से अधिक'],
    after: ['से (?:अधिक|कम|ज़्यादा|ज्यादा|बड़ा|छोटा|ऊपर)|या (?:अधिक|कम)'],
  },
  th: {
    before: ['อย่างน้อย|อย่างมาก|(?:มาก|น้อย|สูง|ต่ำ)(?:กว่า|ที่สุด)|ไม่(?:เกิน|ต่ำกว่า|น้อยกว่า)|เกิน'],
    after: ['ขึ้นไป|หรือ(?:มากกว่า|น้อยกว่า)'],
  },
}

const spread = {
  range: [
    'to|through|thru|until|up to|vs\\.?|versus|(?:(?<!\\s)—|—(?!\\s)|[-–−~～〜])|\\.{2,3}|…|±|\\+/-',
    'bis|à|a|ao?s?|till?|tot|до|do|έως|μέχρι|ile|sampai|hingga|đến|tới',
    '到|至|から|에서|부터|إلى|الى|حتى|ל-?|עד|से|ถึง',
  ],
  alternative: [
    'or|maybe|perhaps|possibly|vielleicht|peut-être|quizás?|talvez|forse|возможно|or (?:maybe|perhaps|possibly|even)|oder|ou|o|ó|u|или|или же|або|чи|lub|albo|eller|nebo|veya|ya da|atau|hoặc|hay|ή|/ or|sau|tai|vagy|alebo|ili|au',
    '或者?|或是|还是|還是|または|あるいは|もしくは|か|또는|혹은|아니면|이?나|أو|או|या|หรือ|یا|বা|அல்லது|ຫຼື|ឬ|သို့မဟုတ်',
  ],
  pair: [
    'and|&|und|et|y|e|ed|и|та|і|i|oraz|en|och|og|și|ja|és|a|ve|ile|dan|và|και',
    '和|与|與|及|跟|と|과|와|그리고|및|و|ו-?|और|และ|กับ',
  ],
}

/** A name that the second value gets: `x = 3 or x = 4`. */
const named = '(?:\\$?\\\\?[a-zA-Z](?:_\\{?\\w\\}?)?\\s*=\\s*\\$?)?'
const around = '[\\s$*_"“”]*'
const unitWord = '(?:\\s?(?:°\\s?[CF]|%|[\\p{L}\\p{M}/²³]{1,14}))?'
const joint = (words: readonly string[], comma = ',?'): RegExp =>
  new RegExp(
    `^${unitWord}${around}(?<![\\p{sc=Latin}\\p{sc=Cyrillic}\\p{sc=Greek}\\p{sc=Arabic}\\p{sc=Hebrew}\\p{sc=Devanagari}])${comma}\\s*(?:${words.join('|').replaceAll(' ', '\\s+')})(?![\\p{sc=Latin}\\p{sc=Cyrillic}\\p{sc=Greek}])${around}(?:\\p{Sc}\\s?)?${named}$`,
    'iu',
  )

const isRange = joint(spread.range, '')
const isAlternative = joint(spread.alternative)
const isPair = joint(spread.pair)

/** Units that make one quantity together, the larger before the smaller. */
const large = [
  "hours?|hrs?|h|days?|d|weeks?|years?|yrs?|months?|minutes?|mins?|feet|foot|ft|['′]|yards?|yd|miles?|pounds?|lbs?|stones?|dollars?|euros?|met(?:er|re)s?|m|km|kilomet(?:er|re)s?|kg|kilograms?|kilos?|degrees?|°|gallons?|quarts?|lit(?:er|re)s?",
  'stunden?|std|tage?n?|wochen?|jahre?n?|monate?n?|minuten?|fuß|pfund|heures?|jours?|ans?|mois|semaines?|horas?|días?|dias?|años?|anos?|meses|semanas?|ore|ora|giorni|anni|minuti|metri|uur|uren|dagen|jaar',
  'timmar|час\\p{L}*|годин\\p{L}*|дн\\p{L}+|день|лет|год\\p{L}*|минут\\p{L}*|метр\\p{L}*|рубл\\p{L}*|godzin\\p{L}*|dni|lat|metr\\p{L}*|saat|gün|yıl|metre|jam|hari|tahun|giờ|ngày|năm|ώρες',
  '小时|小時|个小时|時間|时|時|시간|天|日|일|年|년|米|公里|千克|公斤|元|块|美元|分钟?|미터|ساع\\p{L}*|أيام|سنوات|שעות|घंटे|घंटा|दिन|ชั่วโมง|วัน|ปี',
].join('|')
const small =
  'minutes?|mins?|m|seconds?|secs?|s|hours?|hrs?|h|days?|weeks?|months?|inch(?:es)?|in|["″]|feet|foot|ft|ounces?|oz|pounds?|cents?|pence|centimet(?:er|re)s?|cm|mm|met(?:er|re)s?|m|grams?|g|pints?|ml|[\'′]' +
  '|minuten?|sekunden?|stunden?|tage?|monate?|zoll|cent|secondes?|jours?|mois|minutos?|segundos?|horas?|días?|meses|minuti|secondi|giorni|mesi|uur|seconden|maanden' +
  '|minuter|sekunder|минут\\p{L}*|секунд\\p{L}*|хвилин\\p{L}*|час\\p{L}*|дн\\p{L}+|месяц\\p{L}*|сантиметр\\p{L}*|копе\\p{L}+|minut\\p{L}*|sekund\\p{L}*|miesi\\p{L}+|dakika|saniye|ay|menit|detik|bulan|phút|giây|tháng' +
  '|分钟?|分鐘|分|秒钟?|秒|分間|분|초|厘米|公分|毛|角|克|个?月|개월|센티미터|دقيق\\p{L}*|دقائق|ثوان\\p{L}*|דקות|मिनट|सेकंड|นาที|วินาที|เดือน'
const isCompoundGap = new RegExp(`^[\\s-]?(?:${large})\\.?(?:\\s*(?:,|${spread.pair.join('|')})){0,2}\\s*$`, 'iu')
/** In `2 heures 30` the minutes have no unit. */
const isHourGap = /^\s?(?:hours?|h|heures?|horas?|ore|uhr|std|час\p{L}*|uur|timmar|時間?|点|时|시)\.?\s?$/iu
const startsSmallUnit = new RegExp(`^[\\s-]?(?:${small})(?![\\p{sc=Latin}\\p{sc=Cyrillic}])`, 'iu')

/** The relation of two neighbouring numbers, by the text between them and the text behind the second. */
export type Joint = 'range' | 'alternative' | 'pair' | 'compound'

/** Returns the relation of two numbers; undefined if they are separate. */
export function findJoint(between: string, behind: string): Joint | undefined {
  if (between.length > reach) return undefined
  if (isRange.test(between)) return 'range'
  if (isAlternative.test(between)) return 'alternative'
  const hasNoUnit = isHourGap.test(between) && /^\s*(?:[.,;!?)]|$)/.test(behind)
  if (hasNoUnit || (isCompoundGap.test(between) && startsSmallUnit.test(behind))) return 'compound'
  return isPair.test(between) ? 'pair' : undefined
}

const bracket = '[\\s"“\'*_$`{]*'
const boundBefore = new RegExp(
  `(?:${wordStart}(?:${joinColumn(bounds, 'before')})|(?<![-=]|<[^<>\\n]{0,40})>\\s?=?|<(?!-)\\s?=?|[≥≤≧≦≮≯⩾⩽]|\\\\(?:[gl]eq?(?:slant)?|[gl]t))${bracket}(?:\\p{Sc}\\s?)?(?:${named}|(?:about|around|roughly|approximately)\\s+)?$`,
  'iu',
)
const boundAfter = new RegExp(
  `^(?:(?:\\s?[\\p{L}\\p{M}°%]{1,12})?[\\s"”*_$]{0,4}(?:${joinColumn(bounds, 'after')})|\\s?\\+(?=\\s*(?:[\\p{L}.,;!)]|$))|[\\s$]{0,3}(?:<(?![/a-z!])|>(?!\\s?[>\\n])|[≥≤]|\\\\(?:[gl]eq?|[gl]t)(?![a-z])))`,
  'iu',
)
/** Ends the words before a bound that only explains a value: "42 (more than 40)", "42, which is more than 40". */
const explains =
  /(?:\(|(?<!\p{L})(?:which|since|because|as|being|und damit|also|weil|da|car|porque|ce qui|так как|poiché|因为|because)(?!\p{L}))[^.\n]*$/iu

const sign = /[<>≥≤≧≦\\]/
const assigned = /[=＝]\s*[^\s\d]{0,3}\d/

/** Whether a number is a bound, and whether the bound only explains a value before it. */
export type Bound = 'none' | 'bound' | 'explained'

/** Returns whether the number from `start` to `end` is a bound. */
export function findBound(text: string, { start, end }: { readonly start: number; readonly end: number }): Bound {
  const ahead = text.slice(Math.max(0, start - reach), start)
  const isQuote = /(?:^|\n)\s*>\s*[*_]*$/.test(ahead) && text.trim().includes('\n')
  const found = isQuote ? null : boundBefore.exec(ahead)
  if (found === null && !boundAfter.test(text.slice(end, end + reach))) return 'none'
  const lead = found === null ? ahead : ahead.slice(0, found.index)
  // "x = 5 and x > 3": the condition is none of the answer.
  const isCondition = found !== null && sign.test(found[0]) && assigned.test(lead)
  return (/\d/.test(lead) && explains.test(lead)) || isCondition ? 'explained' : 'bound'
}

/** Matches values that a name, brackets or nothing else on the line holds together, around a comma: `(3, 4)`. */
const commaJoint = new RegExp(`^${around}[,;、]${around}(?:\\p{Sc}\\s?)?(?<named>${named})$`, 'u')

/** Returns whether a comma between two numbers makes a pair of them: `(3, 4)`, `x = 3, y = 4`, or a line of nothing else. */
export function isListed(
  text: string,
  [first, second]: readonly [{ start: number; end: number }, { start: number; end: number }],
): boolean {
  const match = commaJoint.exec(text.slice(first.end, second.start).slice(0, reach))
  if (match === null || second.start - first.end > reach) return false
  const ahead =
    text
      .slice(Math.max(0, first.start - reach), first.start)
      .split('\n')
      .at(-1) ?? ''
  if (match.groups?.['named'] !== '') return /[a-zA-Z}]\s*=\s*\$?$/.test(ahead)
  const [behind = ''] = text.slice(second.end, second.end + reach).split('\n')
  const isBracketed = /[([{]\s*$/.test(ahead) && /^\s*(?:[)\]}]|[,;]\s*\d)/.test(behind)
  const isAlone =
    (/^[\s$*_\d.,;-]*$/.test(ahead) || /(?:(?:is|are|[:=：是为])\s*)$/.test(ahead)) && /^[\s$*_\d.,;]*$/.test(behind)
  return isBracketed || isAlone
}
