/** Shows the footer of a report: its time, and what it leaves out. */
import { dateTime } from '../../../base/text/numbers.js'

/** The date, the version and the omissions of a report. */
export interface ReportFooterProps {
  readonly made: string
  readonly version: string
  readonly leftOut: readonly string[]
}

/** Shows the date of a report and the parts that it leaves out. */
export function ReportFooter({ made, version, leftOut }: ReportFooterProps) {
  return (
    <footer class="report-footer">
      <span>
        Report made <time dateTime={made}>{dateTime(made)}</time> with pipeline {version}
      </span>
      {leftOut.length > 0 && (
        <details>
          <summary>What this file does not hold</summary>
          <ul>
            {leftOut.map(sentence => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
    </footer>
  )
}
