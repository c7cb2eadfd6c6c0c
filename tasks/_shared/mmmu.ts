/** Shared code of the MMMU family of benchmarks. */
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc } from '../../stages/input/tasks/doc.js'

/** The images that a prompt names as `<image 1>` and so on, each once, in the order of their numbers. */
export function namedPictures(prompt: string, doc: Doc): readonly unknown[] {
  const fields = [...prompt.matchAll(/<image (\d+)>/g)].map(([, number = '']) => `image_${number}`)
  return [...new Set(fields)].sort().map(field => pictureIn(doc, field))
}

/** An image of the doc. @throws Error that names the field. */
export function pictureIn(doc: Doc, field: string): unknown {
  const picture = doc[field] ?? undefined
  if (picture === undefined) throw new Error(`the prompt names a picture that the field "${field}" does not have`)
  return picture
}

/** The text of a prompt, with the images at the positions where it names them. */
export const interleaved = (prompt: string, doc: Doc): readonly unknown[] =>
  // The pattern has a group, so every second piece is the number of an image.
  prompt.split(/<image ([1-7])>/).flatMap((piece, at): readonly unknown[] => {
    if (at % 2 === 1) return [{ type: 'image', image: pictureIn(doc, `image_${piece}`) }]
    const words = stripWhiteSpace(piece)
    return words === '' ? [] : [{ type: 'text', text: words }]
  })

/** MMMU's six disciplines, by subject. */
export const disciplineOf: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'Art and Design': ['Art', 'Art_Theory', 'Design', 'Music'],
    Business: ['Accounting', 'Economics', 'Finance', 'Manage', 'Marketing'],
    Science: ['Biology', 'Chemistry', 'Geography', 'Math', 'Physics'],
    'Health and Medicine': [
      'Basic_Medical_Science',
      'Clinical_Medicine',
      'Diagnostics_and_Laboratory_Medicine',
      'Pharmacy',
      'Public_Health',
    ],
    'Humanities and Social Science': ['History', 'Literature', 'Sociology', 'Psychology'],
    'Tech and Engineering': [
      'Agriculture',
      'Architecture_and_Engineering',
      'Computer_Science',
      'Electronics',
      'Energy_and_Power',
      'Materials',
      'Mechanical_Engineering',
    ],
  }).flatMap(([discipline, subjects]) => subjects.map(subject => [subject, discipline] as const)),
)
