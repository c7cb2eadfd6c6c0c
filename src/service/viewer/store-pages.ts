import { PipelineError } from '../../../base/errors/errors.js'
import type { Run } from '../../../cache/records.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { makePriceAdder } from '../../cost/add-price.js'
import { compareView } from '../../present/page/compare-view.js'
import type { RunMoved, SampleFilter } from '../../present/page/data/index.js'
import { runRow } from '../../present/page/runs/run-row.js'
import { runView } from '../../present/page/runs/run-view.js'
import { pageRows, makeQuestion } from '../../present/page/samples/page-rows.js'
import { docRuns } from '../../present/page/samples/doc-runs.js'
import { docsPage } from '../../present/page/samples/docs-page.js'
import { keyView } from '../../present/page/samples/key-view.js'
import { withFrameRules } from '../../present/page/samples/frame-rules.js'
import { sampleView } from '../../present/page/samples/sample-view.js'
import { queueJson, workerJson } from '../../present/json/work-json.js'
import { readWork } from '../../reading/workers/work-facts.js'
import { leaderboardJson } from '../../present/json/leaderboard-json.js'
import { listedModel } from '../../present/text/results/run-header.js'
import { readLeaderboard } from '../../reading/leaderboard/read-leaderboard.js'
import { readCalibration } from '../../reading/calibration/calibrate-judge.js'
import { planPower } from '../../reading/planning/plan-power.js'
import { planRunPower } from '../../reading/planning/run-power.js'
import { present } from '../../../base/values/present.js'
import { compareHints } from '../http/routes/run-routes.js'
import { listedRuns } from './listed-runs.js'
import type { Pages } from './pages.js'

/** The maximum number of checked runs, in the order of their last start. */
const mostLive = 50

/** Reads the data of the pages from a store. */
export function storePages(store: Store): Pages {
  const addPrice = makePriceAdder()
  const openPricedRun = async (name: string): Promise<OpenedRun> => addPrice(await openRun(store, name))
  const openComparedRun = async ({ against }: SampleFilter): Promise<OpenedRun | undefined> =>
    against === undefined ? undefined : openPricedRun(against)

  async function openPreparedRun(name: string): Promise<OpenedRun> {
    const run = await openPricedRun(name)
    store.samples.prepare(run)
    return run
  }

  return {
    runs: query => listedRuns(store, query),
    async work() {
      const { workers, queue } = await readWork(store, Date.now())
      return {
        workers: workers.map(worker => ({ ...workerJson(worker), runs: worker.runNames, jobs: worker.jobs })),
        queue: queueJson(queue),
      }
    },
    run: async name => runView(store, await openPreparedRun(name)),
    samples: async (name, query, signal) =>
      pageRows(store, await openPreparedRun(name), query, { against: await openComparedRun(query), signal }),
    histograms: async (name, filter, signal) =>
      store.samples.histograms(await openPreparedRun(name), makeQuestion(filter), signal),
    async sample(name, place) {
      const opened = await openRun(store, name)
      return withFrameRules(opened.run, await sampleView(store, opened, place))
    },
    async position(name, filter, place) {
      const offset = await store.samples.position(
        await openPreparedRun(name),
        makeQuestion(filter),
        place,
        await openComparedRun(filter),
      )
      return offset < 0 ? null : offset
    },
    docRuns: async (name, place) => docRuns(store, await openRun(store, name), place),
    async docs(query, signal) {
      const opened = await Promise.all(query.runs.map(name => openPreparedRun(name)))
      const runs = opened.map((run, at) => ({ name: query.runs[at] ?? '', opened: run }))
      return docsPage(store, runs, query, signal)
    },
    key: async (name, key) => keyView(store, await openRun(store, name), key),
    async compare(a, b) {
      const [first, second] = [await openRun(store, a), await openRun(store, b)]
      if (first.run.id === second.run.id && first.judgement?.number === second.judgement?.number)
        throw new PipelineError('usage', 'these are the same run: choose two that differ')
      return compareView(store, first, second)
    },
    async leaderboard(query) {
      const board = leaderboardJson(await readLeaderboard(store, query, listedModel))
      const tags = [...(await store.runs.tags()).values()].flat()
      return { ...board, tags: [...new Set(tags)].sort() }
    },
    calibration: async name => readCalibration(store, await openRun(store, name)),
    async power({ run, against, std, ...settings }) {
      const assumptions = present({ ...settings, stdA: std, stdB: std })
      if (run === undefined) return { plan: planPower(assumptions) }
      const second = against === undefined ? undefined : { store, reference: against }
      return { runs: await planRunPower({ store, reference: run }, second, { ...assumptions, hints: compareHints }) }
    },
    async moving(before) {
      const moving = new Map<string, RunMoved>()
      for (const run of (await store.runs.page({ limit: mostLive })).runs)
        if (before?.has(run.name) === true || (await store.runs.isWorkedOnElsewhere(run)))
          moving.set(run.name, await movedRun(store, run))
      // A stopped run is reported once more, and then dropped.
      for (const [name, { state }] of moving)
        if (state !== 'running' && before?.get(name)?.state !== 'running') moving.delete(name)
      return moving
    },
    async list() {
      const { total, runs } = await store.runs.page({ limit: 1 })
      return `${total} ${runs[0]?.id ?? ''}`
    },
    async jobs() {
      const [newest] = await store.jobs.list({ limit: 1, labels: {} })
      return JSON.stringify([await store.jobs.counts(), newest?.id])
    },
  }
}

async function movedRun(store: Store, run: Run): Promise<RunMoved> {
  const { name, state, progress } = await runRow(store, run)
  return { name, state, progress }
}
