/** Starts the viewer in the browser, with all pages and data from the server. */
import { type NavigationEntry, type Page, App } from './app.js'
import { ComparePage } from './pages/compare/compare-page.js'
import { DocsPage } from './pages/docs/docs-page.js'
import { JobsPage } from './pages/jobs/jobs-page.js'
import { LeaderboardPage } from './pages/leaderboard/leaderboard-page.js'
import { ModelsPage } from './pages/models/models-page.js'
import { NewRunPage } from './pages/new-run/new-run-page.js'
import { PlanningPage } from './pages/planning/planning-page.js'
import { StabilityPage } from './pages/planning/stability-page.js'
import { CalibrationPage } from './pages/planning/calibration-page.js'
import { RunPage } from './pages/run/run-page.js'
import { RunsPage } from './pages/runs/runs-page.js'
import { SamplePage } from './pages/sample/sample-page.js'
import { SamplesPage } from './pages/samples/samples-page.js'
import { TaskPage, TasksPage } from './pages/tasks/tasks-page.js'
import { StepsPage } from './pages/steps/steps-page.js'
import './styles/index.css'
import { render } from 'preact'
import { httpSource } from './data/http-source.js'
import { findSession, type Session } from './session/session.js'
import { SignIn } from './session/sign-in.js'

const pages: readonly Page[] = [
  { path: '', component: RunsPage },
  { path: 'runs', component: RunsPage },
  { path: 'runs/*', component: RunPage },
  { path: 'runs/*/samples', component: SamplesPage },
  { path: 'runs/*/samples/*/*', component: SamplePage },
  { path: 'runs/*/calibration', component: CalibrationPage },
  { path: 'runs/*/stability', component: StabilityPage },
  { path: 'leaderboard', component: LeaderboardPage },
  { path: 'steps', component: StepsPage },
  { path: 'compare', component: ComparePage },
  { path: 'planning', component: PlanningPage },
  { path: 'docs', component: DocsPage },
  { path: 'tasks', component: TasksPage },
  { path: 'tasks/*', component: TaskPage },
  { path: 'models', component: ModelsPage },
  { path: 'new', component: NewRunPage },
  { path: 'jobs', component: JobsPage },
]

const navigation: readonly NavigationEntry[] = [
  { title: 'Runs', path: ['runs'] },
  { title: 'Leaderboard', path: ['leaderboard'] },
  { title: 'Compare', path: ['compare'] },
  { title: 'Planning', path: ['planning'] },
  { title: 'Tasks', path: ['tasks'] },
  { title: 'Models', path: ['models'] },
  { title: 'New run', path: ['new'] },
  { title: 'Jobs', path: ['jobs'] },
]

const element = document.getElementById('app')
if (element !== null) void start(element)

/** Signs in and draws the pages into the document. */
async function start(element: Element): Promise<void> {
  const show = ({ scope }: Session): void => {
    render(<App source={httpSource({ canChange: scope !== 'read' })} pages={pages} navigation={navigation} />, element)
  }
  try {
    const session = await findSession()
    if (session === undefined) render(<SignIn done={show} />, element)
    else show(session)
  } catch (error) {
    render(
      <p role="alert">The server does not answer: {error instanceof Error ? error.message : String(error)}</p>,
      element,
    )
  }
}
