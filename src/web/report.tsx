/** A report in one HTML file: the pages that need no server, with the data that the file holds. */
import { render } from 'preact'
import { App, type NavigationEntry, type Page } from './app.js'
import { embeddedElements } from './data/embedded-elements.js'
import { embeddedSource } from './data/embedded-source.js'
import { ComparePage } from './pages/compare/compare-page.js'
import { LeaderboardPage } from './pages/leaderboard/leaderboard-page.js'
import { RunPage } from './pages/run/run-page.js'
import { RunsPage } from './pages/runs/runs-page.js'
import { SamplePage } from './pages/sample/sample-page.js'
import { SamplesPage } from './pages/samples/samples-page.js'
import { StepsPage } from './pages/steps/steps-page.js'
import { formatHash } from './routing/address.js'
import './styles/index.css'
import { dateTime } from '../../base/text/numbers.js'

const pages: readonly Page[] = [
  { path: '', component: RunsPage },
  { path: 'runs', component: RunsPage },
  { path: 'runs/*', component: RunPage },
  { path: 'runs/*/samples', component: SamplesPage },
  { path: 'runs/*/samples/*/*', component: SamplePage },
  { path: 'leaderboard', component: LeaderboardPage },
  { path: 'steps', component: StepsPage },
  { path: 'compare', component: ComparePage },
]

const element = document.getElementById('app')
const elements = embeddedElements(document)
const navigation: readonly NavigationEntry[] = [
  { title: 'Runs', path: ['runs'] },
  ...(elements.data?.leaderboard === undefined ? [] : [{ title: 'Leaderboard', path: ['leaderboard'] }]),
  { title: 'Compare', path: ['compare'] },
]
const [run, ...others] = elements.data?.runs ?? []
// A list of one run would only be one more click.
if (run !== undefined && others.length === 0 && /^#?\/?$/.test(location.hash))
  history.replaceState(null, '', formatHash(['runs', run.view.name]))
if (element !== null)
  render(
    <>
      <App source={embeddedSource(elements)} pages={pages} navigation={navigation} />
      {elements.data && <ReportFooter {...elements.data} />}
    </>,
    element,
  )

/** The date, the version and the omissions of a report. */
interface ReportFooterProps {
  readonly made: string
  readonly version: string
  readonly leftOut: readonly string[]
}

/** Shows the date of a report and the parts that it leaves out. */
function ReportFooter({ made, version, leftOut }: ReportFooterProps) {
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
