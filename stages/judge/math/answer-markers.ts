/** Words that announce the final answer, in the languages that models answer in. */

const words = [
  'ответ(?:ом)?',
  'відповідь(?:ю)?',
  'odpowiedź',
  'antwort',
  'antwoord',
  'lösung',
  'ergebnis',
  'réponse',
  'respuesta',
  'resposta',
  'risposta',
  'cevap',
  'yanıt',
  'jawaban',
  'svar(?:et)?',
  'απάντηση',
  'đáp (?:án|số)',
  'câu trả lời',
  '答案|答え|解答|答(?=[:：是为])',
  '정답|답(?=[은:：])',
  'الجواب|الإجابة|الاجابة',
  'התשובה|תשובה',
  'उत्तर|जवाब',
  'คำตอบ',
]

/** English uses the word in other ways too, so it needs a verb, a colon or the end of the line. */
const english = String.raw`answer(?:[^\S\n]*(?:[:=]|\n)|[^.\n:=$\\\d]{0,60}?\s(?:is|are|equals|would be|must be)(?![\p{L}])(?:\s*:)?)`

const marker = new RegExp(`(?<![a-zа-яё])(?:${english}|${words.join('|')})`, 'giu')

/** The positions behind the words that announce an answer, the last one first. */
export const answerPositions = (text: string): readonly number[] =>
  Array.from(text.matchAll(marker), match => match.index + match[0].length).reverse()
