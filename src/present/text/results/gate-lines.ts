import type { Assessment } from '../../../reading/gates/assess-run.js'
import type { Paint } from '../layout/paint.js'

/** The baseline with its notes, and a line for each gate. */
export function gateLines({ baseline, gates }: Assessment, paint: Paint): string[] {
  const about =
    baseline === undefined
      ? []
      : [
          `baseline: ${baseline.label}${baseline.rows.some(({ isPaired }) => isPaired) ? ', paired by task and doc' : ''}`,
          ...baseline.notes.map(paint.yellow),
        ]
  const lines = gates.map(({ gate, task, metric, passed, reason }) => {
    const subject = task === undefined || metric === undefined || !gate.startsWith('*') ? '' : `${task}.${metric}: `
    return `${passed ? paint.green('✓ passed') : paint.red('✗ failed')}  ${gate}   ${subject}${reason}`
  })
  return [...about, ...lines]
}
