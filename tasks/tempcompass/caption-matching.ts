/**
 * Compares an answer with the lines behind the first of a question (`Sentence A: The mill turns`). It may be the whole line, its
 * sentence, also behind `) `, or its label, short or long, with or without dots. Undefined if it is none of these.
 *
 * Source: lmms-eval 0.7.2, `tasks/tempcompass/utils.py`, after the benchmark's own script.
 */
export function matchesCaption(answer: string, question: string, right: string): number | undefined {
  const lines = question.split('\n').slice(1)
  const sentences = lines.map(line => takeSentence(line))
  const labels = lines.map(line => takeLabel(line))
  const short = labels.map(label =>
    label.replaceAll('Sentence ', '').replaceAll('Option ', '').replaceAll('Caption ', ''),
  )
  const behindBracket = answer.split(') ')[1]
  const named =
    [...labels, ...short].findLast(label => label === answer || label === answer.replaceAll('.', '')) ??
    sentences.findLast(sentence => sentence === answer || sentence === behindBracket) ??
    lines.findLast(line => line === answer)
  if (named === undefined) return undefined
  const ways = [right, right.split(':')[0], right.split(': ')[1], takeLabel(right).split(/\s+/)[1]]
  return Number(ways.includes(named))
}

const takeLabel = (line: string): string => line.split(': ')[0] ?? ''

/** @throws Error where there is none. */
function takeSentence(line: string): string {
  const sentence = line.split(': ')[1]
  if (sentence === undefined) throw new Error(`the field "question" has a line without a label: ${line.slice(0, 200)}`)
  return sentence
}
