/** Sends labels of answers to the server. */
import type { Mark } from '../../present/page/data/index.js'
import { postJson } from './http-source.js'

/** A label to send. */
export interface NewLabel {
  readonly run: string
  /** The task's name. */
  readonly task: string
  readonly index: number
  /** Null takes the own label back. */
  readonly label: Mark['label'] | null
  readonly note?: string
}

/** Stores a label. The server knows the author. */
export async function sendLabel({ run, task, index, label, note }: NewLabel): Promise<void> {
  await postJson('/labels', { run, task, doc_index: index, label, ...(note !== undefined && { note }) })
}

/** The names of labels on the pages. */
export const labelNames: Readonly<Record<Mark['label'], string>> = {
  right: 'Right',
  wrong: 'Wrong',
  unclear: 'Unclear',
}
