import { join } from 'node:path'
import { messageOf, PipelineError } from '../../base/errors.js'
import type { Columns, Flat } from '../parquet/columns.js'
import { readParquet } from '../parquet/read.js'
import type { Manifest } from './manifest.js'
import { failureColumns, itemColumns, preimageColumns, responseColumns, verdictColumns } from './parts.js'
import type { PortableRun, Table } from './portable.js'

/**
 * The run that a manifest and Parquet parts in a folder tell of. Reading a table throws PipelineError (bundle), which names
 * `source` and the part, where the part is not what it should be. A table without rows has no part.
 */
export function sealedTables(source: string, folder: string, manifest: Manifest): PortableRun {
  const table = <Row extends Flat<Row>>(name: string, columns: Columns<Row>): Table<Row> =>
    async function* () {
      if (!manifest.parts.some(part => part.name === name)) return
      try {
        yield* readParquet(join(folder, name), columns)
      } catch (error) {
        throw new PipelineError('bundle', `${source}: part ${name} can't be read: ${messageOf(error)}`, {
          cause: error,
        })
      }
    }
  return {
    ...manifest.run,
    pending: manifest.pending,
    preimages: table('preimages.parquet', preimageColumns),
    items: table('inputs.parquet', itemColumns),
    responses: table('responses.parquet', responseColumns),
    failures: table('failures.parquet', failureColumns),
    judgements: manifest.judgements.map(({ part, ...judgement }) => ({
      ...judgement,
      verdicts: table(part, verdictColumns),
    })),
  }
}
