import { isFolder } from '../../../../base/files/path-kinds.js'
import { basename, dirname, extname, join } from 'node:path'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { readText } from '../../../../base/files/files.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { present } from '../../../../base/values/present.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { ForeignTask, LogReader, ReportedScore } from '../../foreign-log.js'
import { inTurn } from '../in-turn.js'
import { fieldsIn, nameIn, numberIn, parseFields, scoresIn } from '../loose-values.js'
import { kitSamples, type ScoredTable } from './vlmevalkit-samples.js'
import { isTable, type PredictionTable, predictionsAt, tableRows } from './vlmevalkit-tables.js'

const tool = 'vlmevalkit'

/**
 * Reads the predictions of VLMEvalKit (`<model>_<dataset>.xlsx`, `.tsv` or `.json`) and the scores that its evaluation writes beside them. A folder
 * may contain several datasets.
 */
export const vlmevalkitLogs: LogReader = {
  tool,
  async recognises(path) {
    try {
      if (isPickle(path)) return false
      const folder = await isFolder(path)
      return (folder || isTable(path)) && (await predictionsAt(path)).length > 0
    } catch {
      // What cannot be read is not obviously a log.
      return false
    }
  },
  async open(path) {
    if (isPickle(path))
      throw new PipelineError(
        'dataset',
        `${shownPath(path)} is a Python pickle, which runs code when it is read. Set PRED_FORMAT=tsv for VLMEvalKit, or save its table as .xlsx or .tsv`,
      )
    const tables = await predictionsAt(path)
    if (tables.length === 0)
      throw new PipelineError(
        'dataset',
        `${shownPath(path)} has no predictions of VLMEvalKit (a table with the columns index and prediction)`,
      )
    const tasks: ForeignTask[] = []
    for (const table of tables) tasks.push(await readTask(table))
    const files = tables.flatMap(({ file, scored, summaries }) => [
      file,
      ...scored.map(scoreTable => scoreTable.file),
      ...summaries,
    ])
    return { tool, files, tasks: () => inTurn(tasks) }
  },
}

const isPickle = (path: string): boolean => extname(path) === '.pkl'

async function readTask(table: PredictionTable): Promise<ForeignTask> {
  const status = await readStatus(table)
  const { model, task } = parseTableName(table, status)
  const dataset = fieldsIn(fieldsIn(status?.['datasets'])?.[task])
  const scored: readonly ScoredTable[] = table.scored.map(({ file, suffix }) => ({
    file,
    // Scores of several judges are distinguished by the name in their file.
    ...(table.scored.length > 1 ? { filter: suffix } : {}),
  }))
  const summed = await summaryScores(table)
  return {
    task,
    source: table.file,
    reported: summed.length > 0 ? summed : statusScores(dataset),
    ...present({ model, startedAt: nameIn(status?.['created_at']), config: dataset }),
    samples: () => kitSamples(table.file, scored),
  }
}

/** Newer versions write `status.json` beside the predictions. */
async function readStatus({ file }: PredictionTable): Promise<JsonObject | undefined> {
  const path = join(dirname(file), 'status.json')
  try {
    return parseFields(await readText(path), () => shownPath(path))
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode((error as Error).cause) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The name of the file is `<model>_<dataset>`, and both may contain `_`. The model is named by `status.json`, by the
 * folder, or by the folder above that of the run.
 */
function parseTableName(
  { file, name }: PredictionTable,
  status: JsonObject | undefined,
): { readonly model?: string; readonly task: string } {
  const folder = dirname(file)
  const candidates = [nameIn(status?.['model_name']), basename(folder), basename(dirname(folder))]
  const model = candidates.find(
    candidate => candidate !== undefined && candidate !== '' && name.startsWith(`${candidate}_`),
  )
  return model === undefined ? { task: name } : { model, task: name.slice(model.length + 1) }
}

/** Reads the scores of a table such as `split,Overall,category`, of which the first is the mean of the rows' `hit`. */
async function summaryScores({ summaries, scored }: PredictionTable): Promise<readonly ReportedScore[]> {
  const [summary, ...more] = summaries
  if (summary === undefined || more.length > 0 || scored.length > 1) return []
  const rows: JsonObject[] = []
  for await (const row of tableRows(summary)) rows.push(row)
  const [row] = rows
  if (row === undefined || rows.length > 1) return []
  const isHit = row['split'] === 'none' && summary.endsWith('_acc.csv') && (await hasHits(scored[0]?.file))
  return Object.entries(scoresIn(row)).map(([name, value]) => ({
    metric: isHit && name === 'Overall' ? 'hit' : name,
    value,
  }))
}

async function hasHits(file: string | undefined): Promise<boolean> {
  if (file !== undefined) for await (const row of tableRows(file)) return numberIn(row['hit']) !== undefined
  return false
}

const statusScores = (dataset: JsonObject | undefined): readonly ReportedScore[] =>
  Object.entries(scoresIn(dataset?.['metrics'])).map(([metric, value]) => ({ metric, value }))
