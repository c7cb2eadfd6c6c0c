/** Finds what stands behind or beside an answer and is none: a next question, its confidence, notes, explanations in brackets. */
import { answerPositions } from './answer-markers.js'

const questions = [
  'question|q|problem|exercise|human|user|instruction|input|frage|aufgabe|problème|énoncé|pregunta|problema|ejercicio|pergunta|domanda|esercizio|vraag|fråga|pytanie|zadanie|otázka',
  'вопрос|задача|питання|ερώτηση|soru|pertanyaan|soal|câu hỏi|bài toán|السؤال|سؤال|المسألة|שאלה|प्रश्न|सवाल|প্রশ্ন|คำถาม|โจทย์',
  '问题|問題|题目|題目|例题|問い|質問|문제|질문|用户',
].join('|')
const question = new RegExp(
  `(?:^|\\n)[^\\S\\n]*[#*_>[]{0,5}[^\\S\\n]?(?:${questions})[\\]*_]{0,3}[^\\S\\n]*[:：]|<\\|(?:im_start|start_header_id)\\|>\\s*user`,
  'giu',
)

/**
 * The text before the next question of a model that has answered and goes on with questions of its own, as base models
 * do behind examples. A text that asks a question before its first answer is left as it is: it may answer in parts.
 */
export function withoutNextQuestion(text: string): string {
  question.lastIndex = 0
  const next = question.exec(text)?.index
  if (next === undefined || next === 0) return text
  const head = text.slice(0, next)
  const isBare = /^[-*_$]{0,3}\s?\d[\d.,/]*[*_$%.]*$/.test(head.trim())
  const isBoxed = head.includes('\\boxed{') || /<\/(?:final_)?answer>/i.test(head)
  const isAnnounced = answerPositions(head.slice(-longest)).some(at => /[\d$]/.test(head.slice(-longest).slice(at)))
  return isBare || isBoxed || isAnnounced ? head : text
}

/** The number of characters before the next question in which an answer is looked for. */
const longest = 20_000

const confidence = [
  'confidence|certainty|konfidenz|sicherheit|confiance|certitude|confianza|certeza|seguridad|confiança|confidenza|sicurezza|zekerheid|vertrouwen|säkerhet|pewność',
  'уверенность|впевненість|βεβαιότητα|güven|kepercayaan|keyakinan|độ tin cậy|الثقة|ביטחון|आत्मविश्वास|विश्वास|ความมั่นใจ|置信度|信心|把握|確信度|信頼度|自信|확신도|신뢰도|자신감|확신',
].join('|')
const notes =
  'notes?|sources?|references?|tokens(?: used)?|hinweis|anmerkung|quellen?|remarque|fuentes?|fontes?|fonti?|примечание|источник|来源|备注|注意|注|出典|참고|출처'

/** Lines, sentences and brackets that begin with a label: "Confidence: 95%", "(confidence 90%)", "Note: … steps 1 and 2". */
const labelled = new RegExp(
  `(?:^|\\n|[(（\\[,，;；—–。]|[.]\\s)[\\s*_>#(\\[-]{0,8}(?:(?:(?:my|nivel de|niveau de|nível de|tingkat|level of)\\s)?(?:${confidence})(?!\\p{L}{3})(?:\\s(?:level|score))?[^\\n.)\\]\\d]{0,20}[:：=]?[^\\n)\\]]{0,60}|(?:${notes})[*_]{0,3}\\s*[:：][^\\n]{0,500})`,
  'giu',
)
/** A share of sureness in a sentence: "95% sure". */
const sureness = new RegExp(
  `(?<![\\d.,])\\d[\\d.,]{0,8}\\s?%\\s(?:sure|confident|certain|sicher|sûre?|certaine?|segur[oa]|sicur[oa]|zeker|säker|уверен\\p{L}*|${confidence})(?!\\p{L})`,
  'giu',
)

const blank = (found: string): string => found.replace(/[^\n]/g, ' ')

/** Blanks what the answer says of its confidence, and its notes and sources. The length stays. */
export const withoutSideLines = (text: string): string => text.replace(labelled, blank).replace(sureness, blank)

const measure =
  'km|[cm]?m|mi|miles?|kilomet(?:er|re)s?|met(?:er|re)s?|feet|ft|inch(?:es)?|in|yards?|[km]?g|grams?|kilograms?|lbs?|pounds?|oz|ounces?|tons?|°?\\s?[CF]|kelvin|hours?|hrs?|h|minutes?|mins?|seconds?|secs?|s|days?|weeks?|months?|years?|m?l|lit(?:er|re)s?|gal|gallons?|mph|km/h|m/s|stunden?|minuten?|sekunden?|tage?|heures?|jours?|horas?|minutos?|segundos?|días?|ore|minuti|час\\p{L}*|минут\\p{L}*|секунд\\p{L}*|小时|分钟|秒|公里|米|時間|分|시간|분'
const glossed = new RegExp(
  `(?<=\\d[^\\S\\n]?(?:(?<unit>${measure})|%|[\\p{Sc}\\p{L}]{1,12})?[*_$]{0,3})[^\\S\\n]{0,3}[(（](?<inner>[^()（）\\n]{1,200})[)）]`,
  'giu',
)
const glossStart =
  /^\s*(?:[≈~=]|(?:not|i\.?e|that[’']s|that is|approx\p{L}*|about|roughly|or|incl\p{L}*|excl\p{L}*|plus|since|because|see|from|given|rounded|nicht|d\.?\s?h|also|inkl\p{L}*|ca|etwa|oder|soit|environ|non|et non|pas|ttc|o sea|es decir|no|unos|ou seja|não|cioè|circa|dus|niet|т\.?\s?е|не|около|yani|yaklaşık|tức|không)(?!\p{L})|不是|即|约|約|也就是|而不是|包括|含|つまり|즉|약)/iu

/**
 * Blanks brackets with numbers directly behind a number that only explain it: "64 (not 63)", "€19.99 (incl. 19% VAT)",
 * "1.5 hours (90 minutes)". The length stays.
 */
export const withoutGlossBrackets = (text: string): string =>
  /[(（]/.test(text)
    ? text.replace(glossed, (whole: string, ...rest: readonly unknown[]) => {
        const { unit, inner = '' } = rest.at(-1) as { readonly unit?: string; readonly inner?: string }
        const isConverted = (unit !== undefined && converted.test(inner)) || tax.test(inner)
        return /\d/.test(inner) && (isConverted || glossStart.test(inner)) ? blank(whole) : whole
      })
    : text
const tax =
  /(?<!\p{L})(?:vat|gst|mwst|ust|tva|iva|btw|moms|tax|taxes|steuer|ндс|kdv|ppn)(?!\p{L})|增值税|税込|消費税|부가세/iu
const converted = new RegExp(`^\\s*[≈~=]?\\s*-?\\d[\\d.,]*\\s?(?:${measure})\\s*$`, 'iu')
