import type { Doc } from '../../stages/input/tasks/doc.js'

/** The classes of things on photographs. Some have no photograph. */
const names: readonly string[] = [
  ...['a cat', 'an espresso', 'a rocket', 'a cockatoo', 'a dog'],
  ...['an acoustic guitar', 'a sports car', 'a banana', 'a lighthouse', 'a bicycle'],
]

export const classes = (): readonly string[] => names

export const classIndex = (doc: Doc): number => names.indexOf(String(doc['class']))

export const digitIndex = (doc: Doc): number => Number(doc['digit'])
