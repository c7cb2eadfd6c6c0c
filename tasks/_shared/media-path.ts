import { text } from './options.js'

/** The path of a file below the folder of media that a benchmark comes with; `name` is a doc's field. */
export const mediaPath = (folder: string, name: unknown, field: string): string => `${folder}/${text(name, field)}`
