/** A report in one HTML file: the pages that need no server, with the data that the file holds. */
import { render } from 'preact'
import { App, type NavigationEntry, type Page } from './app.js'
import { embeddedElements } from './data/embedded-elements.js'
import { embeddedSource } from './data/embedded-source.js'
import { ComparePage } from './pages/compare/compare-page.js'
import { RunPage } from './pages/run/run-page.js'
import { RunsPage } from './pages/runs/runs-page.js'
import { SamplePage } from './pages/sample/sample-page.js'
import { SamplesPage } from './pages/samples/samples-page.js'
import { ReportFooter } from './parts/report-footer.js'
import './styles/index.css'

const pages: readonly Page[] = [
  { path: '', component: RunsPage },
  { path: 'runs', component: RunsPage },
  { path: 'runs/*', component: RunPage },
  { path: 'runs/*/samples', component: SamplesPage },
  { path: 'runs/*/samples/*/*', component: SamplePage },
  { path: 'compare', component: ComparePage },
]

const navigation: readonly NavigationEntry[] = [
  { title: 'Runs', path: ['runs'] },
  { title: 'Compare', path: ['compare'] },
]

const place = document.getElementById('app')
const elements = embeddedElements(document)
if (place !== null)
  render(
    <>
      <App source={embeddedSource(elements)} pages={pages} navigation={navigation} />
      {elements.data && <ReportFooter {...elements.data} />}
    </>,
    place,
  )
