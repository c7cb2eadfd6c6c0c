/** What people say about answers, sent to the server. */
import type { Mark } from '../../views/page-data/index.js'
import { postJson } from './http-source.js'

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

export const labelNames: Readonly<Record<Mark['label'], string>> = {
  right: 'Right',
  wrong: 'Wrong',
  unclear: 'Unclear',
}
