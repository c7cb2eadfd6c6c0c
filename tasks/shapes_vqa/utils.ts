import type { Doc } from '../../stages/input/tasks/doc.js'

const letters = ['A', 'B', 'C', 'D'] as const

/** The questions that have options: 282 of the 1,000. */
export async function* withOptions(docs: AsyncIterable<Doc>): AsyncGenerator<Doc> {
  for await (const doc of docs) if (letters.every(letter => typeof doc[letter] === 'string')) yield doc
}

/** The options' texts, in the order of their letters. */
export const options = (doc: Doc): readonly unknown[] => letters.map(letter => doc[letter])

/** Finds the index of the right option. Its text is not enough, because it may be a letter, too (which letter is in the picture?). */
export const answerIndex = (doc: Doc): number => letters.findIndex(letter => letter === doc['answer_letter'])
