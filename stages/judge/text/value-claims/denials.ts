/** Says of a value in an answer whether the words beside it deny it: "not 5", "5 is wrong", 不是5, 5ではない. */
import { joinSpaced, joinUnspaced } from '../answer-words/answer-words.js'
import type { AnswerWords } from '../answer-words/language-words.js'
import { closing, joinColumn, opening, reach, wordEnd, wordStart, type WordTable } from './patterns.js'

/** Matches the end of a statement such as "24 is not", which else denies something other than the value: "24 is not even". */
const isEnd = '\\s*(?:[.,;:!?)]|$)'

/**
 * The words that deny a value and are not in the table of all languages (`answer-words/`), which is read, too: forms
 * that need their whole phrase beside a number, since "42 is not prime" denies nothing.
 */
export const valueDenials: WordTable = {
  en: {
    before: [
      "not|never|neither|nor|cannot|\\p{L}+n[’']t|no(?: way)?|rather than|instead of|as opposed to|anything but|except(?: for)?",
      // "That is wrong: 5" corrects another value.
      '(?<!(?:is|was|are|were) )(?:wrong|incorrect|false)(?: answers?)?(?: (?:is|was|would be))?',
    ],
    after: [
      `(?:is|are|was|were|would be|seems|must be|has to be)(?: \\p{L}+ly| also)? (?:an? )?(?:wrong|incorrect|impossible|invalid|false|extraneous|inadmissible|rejected|excluded|ruled out|too (?:small|large|big|high|low|much|many|few))`,
      `(?:is|are|was|were)(?: not|n[’']t)(?: (?:the|correct|right|valid|possible|an?|acceptable|it)${wordEnd}|${isEnd})`,
      `(?:cannot|can not|can[’']t|could not|couldn[’']t|must not) be`,
      `(?:does not|doesn[’']t|do not|don[’']t) (?:work|fit|hold|satisfy)`,
    ],
  },
  de: {
    before: [
      'nicht|kein(?:e[nrs]?)?|niemals|(?:an)?statt|anstelle von|weder|(?<=weder.{1,30})noch|falsch(?: (?:ist|wäre))?',
    ],
    after: [
      '(?:ist|sind|wäre|war) (?:falsch|unrichtig|unmöglich|ausgeschlossen|zu (?:groß|klein|hoch|niedrig))|scheidet aus|kann nicht (?:stimmen|sein)|stimmt nicht|passt nicht',
      `(?:ist|sind) nicht(?: (?:die|das|richtig|korrekt|möglich|wahr)${wordEnd}|${isEnd})`,
    ],
  },
  fr: {
    before: ['pas|non|(?<!(?:jibu|sahihi) )ni|jamais|au lieu de|plutôt que|et non(?: pas)?'],
    after: [
      '(?:est|sont|serait) (?:faux|fausse|incorrecte?s?|erronée?s?|impossible|exclue?)',
      `n[’']est pas(?: (?:la|le|une?|correcte?|juste|bonne?|possible|exacte?)${wordEnd}|${isEnd})`,
    ],
  },
  es: {
    before: ['no|(?<!(?:jibu|sahihi) )ni|nunca|en (?:lugar|vez) de|no (?:es|son|puede ser)'],
    after: [
      '(?:es|son|sería|está) (?:incorrect[oa]s?|erróne[oa]s?|fals[oa]s?|imposible|mal)',
      `no (?:es|son|puede ser)(?: (?:la|el|una?|correct[oa]|posible|válid[oa])${wordEnd}|${isEnd})`,
    ],
  },
  pt: {
    before: ['não|nem|nunca|em vez de|ao invés de|no lugar de|não (?:é|são|pode ser)'],
    after: [
      '(?:é|são|seria|está) (?:incorret[oa]s?|errad[oa]s?|fals[oa]s?|impossível)',
      `não (?:é|são|pode ser|está)(?: (?:a|o|uma?|corret[oa]|cert[oa]|possível)${wordEnd}|${isEnd})`,
    ],
  },
  it: {
    before: ['non|né|mai|invece di|anziché|piuttosto che|non (?:è|sono|può essere)'],
    after: [
      '(?:è|sono|sarebbe) (?:sbagliat[oa]|errat[oa]|fals[oa]|impossibile|scorrett[oa])',
      `non (?:è|sono|può essere)(?: (?:la|il|una?|corrett[oa]|giust[oa]|possibile)${wordEnd}|${isEnd})`,
    ],
  },
  nl: {
    before: ['niet|geen|noch|nooit|in plaats van'],
    after: [
      '(?:is|zijn) (?:fout|onjuist|verkeerd|onmogelijk)|klopt niet',
      `(?:is|zijn) niet(?: (?:het|de|juist|correct|goed)${wordEnd}|${isEnd})`,
    ],
  },
  sv: {
    before: ['inte|ej|aldrig|(?:i stället|istället) för'],
    after: [
      'är (?:fel|felaktigt?|omöjligt?)|stämmer inte',
      `är inte(?: (?:rätt|svaret|korrekt|möjligt)${wordEnd}|${isEnd})`,
    ],
  },
  pl: {
    before: ['nie|ani|nigdy|zamiast|nie jest(?: to)?'],
    after: [
      '(?:jest|są|to) (?:błędn\\p{L}*|nieprawidłow\\p{L}*|niepoprawn\\p{L}*|fałszyw\\p{L}*|źle|niemożliw\\p{L}*)',
      `nie jest(?: (?:to|poprawn\\p{L}*|prawidłow\\p{L}*|odpowiedzią|możliw\\p{L}*)${wordEnd}|${isEnd})`,
    ],
  },
  cs: { before: ['ne|není|nikoli|místo'], after: ['je (?:špatně|chybn\\p{L}*|nesprávn\\p{L}*)|není správn\\p{L}*'] },
  ru: {
    before: ['не|ни|нет|вместо|отнюдь не|не (?:равн\\p{L}*|является)'],
    after: [
      '(?:[—–-]\\s*)?(?:это )?(?:неправильн\\p{L}*|неверн\\p{L}*|ошибочн\\p{L}*|ошибка|невозможно|не ?вер\\p{L}*)|не (?:подходит|годится|является)',
    ],
  },
  uk: {
    before: ['не|ні|ані|замість|не дорівнює'],
    after: ['(?:[—–-]\\s*)?(?:це )?(?:неправильн\\p{L}*|невірн\\p{L}*|помилков\\p{L}*)|не (?:підходить|є)'],
  },
  el: {
    before: ['δεν είναι|όχι|ούτε|αντί για|μη'],
    after: [`είναι λάθος|είναι λανθασμέν\\p{L}*|δεν είναι(?: σωστ\\p{L}*|${isEnd})`],
  },
  tr: { before: ['yanlış(?: cevap)?'], after: ["(?:['’]\\p{L}+\\s+)?değil\\p{L}*|yanlış\\p{L}*|hatalı|olamaz"] },
  id: {
    before: ['bukan(?:lah)?|tidak|tanpa|alih-alih'],
    after: ['(?:adalah |itu )?(?:salah|keliru)|bukan jawaban\\p{L}*|tidak (?:benar|tepat)'],
  },
  vi: {
    before: ['không(?: phải)?(?: là)?|chứ không(?: phải)?|thay vì|chẳng phải'],
    after: ['(?:là )?sai|không (?:đúng|phải(?! (?:là )?\\d)|chính xác)'],
  },
  zh: {
    before: ['不(?:会)?是|并?不(?:等于|等於|为|為)|并非|並非|而非|而不是|非|不应?为|绝不是?|没有|沒有'],
    after: [
      '(?:是|为)?(?:错|錯)(?:误|誤)?|不(?:对|對|正确|正確|符合|成立|可能)|有误|有誤|被?排除',
      `不是(?:答案|正确|正確|对|對|[，。,.；;]|$)`,
    ],
  },
  ja: {
    after: [
      '以外|を除|(?:では|じゃ|で)(?:な[いくかし]|ありません|あり得)|(?:は|が|も)(?:間違|違|誤|不正|正しく(?:な|あり)|ありえな|あり得な)',
    ],
  },
  ko: {
    after: [
      '(?:이|가|은|는)?\\s*(?:(?:정답|답)[이은]?\\s*)?(?:아니|아닙|아닌|아님|틀렸|틀린|틀립|오답|잘못|옳지|맞지)',
    ],
  },
  ar: {
    before: ['و?ليست?|و?ليس|و?لا|و?غير|بدلا? من|بدلاً من'],
    after: ['(?:هو |هي )?(?:خطأ|خاطئ\\p{L}*|غير صحيح\\p{L}*)|ليست? (?:صحيح|الجواب|الإجابة)\\p{L}*'],
  },
  he: {
    before: ['ו?לא|אינ(?:ו|ה|ם)|במקום'],
    after: ['(?:הוא |היא )?(?:לא נכו\\p{L}*|שגוי\\p{L}*|טעות)|אינ(?:ו|ה) נכו\\p{L}*'],
  },
  fa: { before: ['نه'], after: ['نیست|(?:اشتباه|نادرست|غلط) است'] },
  hi: { before: ['न कि|ना कि'], after: ['(?:(?:सही )?नहीं|गलत|ग़लत)'] },
  bn: { before: ['নয়'], after: ['(?:সঠিক )?নয়|ভুল'] },
  ur: { after: ['(?:درست )?نہیں|غلط'] },
  tl: { before: ['hindi'] },
  my: { after: ['မဟုတ်|မှား'] },
  th: { before: ['(?:ไม่|มิ)(?:ใช่|ได้เป็น|ได้)?|แทนที่จะเป็น'], after: ['(?:เป็นคำตอบที่)?ผิด|ไม่ถูก(?:ต้อง)?|ไม่ใช่(?!\\s*\\d)'] },
}

/** Words that may stand between a denial and its value. */
const fillers =
  'be|been|is|are|was|were|it|that|the|an?|as|to|of|by|exactly|simply|really|actually|necessarily|definitely|usual|expected|other|original|initial|previous|wrong|just about|equals?|equal to|correct|right|answer|number|value|result|total' +
  '|die|der|das|ist|sind|gleich|la|le|les|est|sont|es|son|é|são|è|sono|el|los|to|jest|het|är|on|это|равно|number|x|y|=' +
  '|là|adalah|هو|هي|הוא|היא'

/** Values before this one that the same word denies: "not 24 or 30". */
const listed =
  '(?:[-\\d.,]{1,15}\\s*,\\s*){0,3}[-\\d.,]{1,15}\\s*,?\\s*(?:or|nor|oder|noch|ou|ni|o|или|ни|或|や|또는)\\s*'

const mark = '[\\s"\'“”‘’*_`()\\[\\]{}:<>$]'

/** A word of denial in one language, with the words of that language that may follow it. */
const denyBefore = ({ denials, fillers }: Pick<AnswerWords, 'denials' | 'fillers'>): string =>
  `(?:${denials})${wordEnd}${fillers === undefined ? '' : `(?:${mark}{1,4}(?:${fillers})${wordEnd}){0,12}`}`

/** Says in one language that the value before it is wrong, or not the answer. */
const denyAfter = ({ negated, wrong, verbs, right, nouns }: AnswerWords): string =>
  `(?:${verbs === undefined ? '' : `(?:(?:${verbs}) )?`}(?:(?!not|nicht|pas|no|não|non|niet|inte|nie|не)\\p{L}{1,6} )?(?:${wrong})${wordEnd})` +
  `|(?:${negated})(?:(?: \\p{L}{1,12}){0,2}? (?:${right}|${nouns})${wordEnd}|${isEnd})`

const sharedBefore = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])${joinSpaced(denyBefore)}|${joinUnspaced(({ denials, fillers }) => `(?:${denials})(?:${fillers}|${mark}){0,8}`)})${opening}$`,
  'iu',
)
const sharedAfter = new RegExp(
  `^${closing}\\s*(?:(?<!\\p{L})${joinSpaced(denyAfter)}|${joinUnspaced(({ wrong }) => wrong)})`,
  'iu',
)

const before = new RegExp(
  `(?:${wordStart}(?:${joinColumn(valueDenials, 'before')})(?:(?:\\s|["'“*_(])+(?:${fillers})${wordEnd}){0,3}|≠|!=|\\\\neq?(?![a-z]))(?:${opening}${listed})?${opening}$|(?:^|\\n)[^\\S\\n]*(?:[-*]\\s)?[✗✘❌✖][\\t *_(]*$`,
  'iu',
)
const after = new RegExp(
  `^(?:\\s?\\p{L}{1,12})?${closing}\\s*(?:${wordStart}(?:${joinColumn(valueDenials, 'after')})|[(\\[:–—-]\\s*(?:wrong|incorrect|falsch|faux|incorrecto|неверно|错误?|不正解|오답)|[✗✘❌✖]|\\?\\s*(?:(?:no|nope|nein|non|não|нет|不)${wordEnd}|that (?:can[’']t|cannot|is wrong|is not|isn[’']t))|,? but (?:that|this|it)(?:[’']s| is| was| turn(?:s|ed) out to be) (?:wrong|incorrect|not|false|impossible))`,
  'iu',
)

/** Phrases that hold a word of denial and deny nothing. */
const harmless =
  /(?:no|without (?:a|any)|not (?:a|any)) (?:doubt|question)(?: that)?|not (?:only|just|merely)|不(?:难|難)(?:看出|得出|知道)?|不得不|不仅|不僅|毫?无疑问|(?:other|else) than|(?:nothing|none|no \p{L}+)(?: other)? (?:but|than|except)|wrong (?:before|earlier)|no (?:longer|less|more|fewer|later|sooner)/giu

/** Returns whether the words around the value from `start` to `end` deny it. */
export function isValueDenied(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  const ahead = text.slice(Math.max(0, start - reach), start).replace(harmless, phrase => '.'.repeat(phrase.length))
  const behind = text.slice(end, end + reach)
  return before.test(ahead) || sharedBefore.test(ahead) || after.test(behind) || sharedAfter.test(behind)
}
