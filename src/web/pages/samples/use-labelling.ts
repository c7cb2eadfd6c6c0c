/** Labels given on this page: shown at once, taken back if the server refuses them, and undone one by one. Undoing restores the label, not its note. */
import { useRef, useState } from 'preact/hooks'
import type { Mark, SampleRow } from '../../../present/page/data/index.js'
import { sendLabel } from '../../data/labels.js'
import { without } from '../../data/without.js'

interface LabelChange {
  readonly run: string
  readonly row: Labelled
  readonly before: Mark['label'] | undefined
}

/** The parts of a sample that a label needs. */
export type Labelled = Pick<SampleRow, 'task' | 'taskName' | 'index' | 'marked'>

const makeRowKey = ({ task, index }: Labelled): string => `${task}/${index}`

/** Keeps the labels that were set on the page until the loaded data contains them. */
export function useLabelling() {
  const [shownLabels, setShownLabels] = useState<ReadonlyMap<string, Mark['label'] | null>>(new Map())
  const [version, setVersion] = useState(0)
  const [stored, setStored] = useState(0)
  const [error, setError] = useState<string>()
  const changes = useRef<LabelChange[]>([])

  const current = (row: Labelled): Mark['label'] | undefined => {
    const own = shownLabels.get(makeRowKey(row))
    return own === undefined ? row.marked : (own ?? undefined)
  }
  const set = (row: Labelled, label: Mark['label'] | undefined): void => {
    setShownLabels(old => new Map(old).set(makeRowKey(row), label ?? null))
    setVersion(count => count + 1)
  }
  const send = async (
    run: string,
    row: Labelled,
    label: Mark['label'] | undefined,
    note?: string,
  ): Promise<boolean> => {
    const before = current(row)
    set(row, label)
    try {
      const { taskName: task, index } = row
      await sendLabel({ run, task, index, label: label ?? null, ...(note !== undefined && { note }) })
      setError(undefined)
      setStored(count => count + 1)
      return true
    } catch (problem) {
      set(row, before)
      setError(`The label was not stored: ${problem instanceof Error ? problem.message : String(problem)}`)
      return false
    }
  }
  /** Gives a label. The same label without a note again takes it back. */
  const add = async (run: string, row: Labelled, label: Mark['label'], note?: string): Promise<boolean> => {
    const before = current(row)
    const isDone = await send(run, row, before === label && note === undefined ? undefined : label, note)
    if (isDone) changes.current.push({ run, row, before })
    return isDone
  }
  const undo = async (): Promise<boolean> => {
    const last = changes.current.pop()
    return last !== undefined && (await send(last.run, last.row, last.before))
  }
  /** Adds the label that was set on the page to a row. */
  const applyLabel = (row: SampleRow | undefined): SampleRow | undefined => {
    if (row === undefined || !shownLabels.has(makeRowKey(row))) return row
    const marked = current(row)
    return { ...without(row, 'marked'), ...(marked !== undefined && { marked }) }
  }
  return { add, undo, labelled: applyLabel, error, version, stored }
}
