import { basename, dirname } from 'node:path'
import type { RecordBatch, Schema } from 'apache-arrow'
import { messageOf, PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { featuresInMetadata } from '../columns/features.js'
import type { Dataset } from '../dataset.js'
import { floatsInFields, holdsBytes, readBatchRows } from './arrow-file.js'
import { parseManifestVersion } from './saved-dataset.js'

const packageName = '@lancedb/lancedb'

/** The parts of the package that are used. Users install it themselves. */
interface Lancedb {
  readonly connect: (folder: string) => Promise<{ openTable(name: string): Promise<Table> }>
}

interface Table {
  checkout(version: number): Promise<void>
  countRows(): Promise<number>
  schema(): Promise<Schema>
  query(): Query
}

interface Query extends AsyncIterable<RecordBatch> {
  select(columns: string[]): Query
}

/** Opens a version of a Lance table by its manifest. It needs the package `@lancedb/lancedb`. */
export async function openLance(manifest: string): Promise<Dataset> {
  const folder = dirname(dirname(manifest))
  const table = await openTable(folder, parseManifestVersion(manifest))
  const schema = await table.schema()
  const features = featuresInMetadata(schema.metadata.get('huggingface'))
  return {
    files: [manifest],
    columns: schema.fields.map(field => ({ name: field.name, isMedia: holdsBytes(field) })),
    count: await table.countRows(),
    ...(features === undefined ? {} : { features }),
    findFloats: () => Promise.resolve(floatsInFields(schema.fields)),
    async *rows({ columns } = {}) {
      const query = table.query()
      let row = 0
      for await (const batch of columns === undefined ? query : query.select([...columns])) {
        yield* readBatchRows(batch, { file: folder, row })
        row += batch.numRows
      }
    },
  }
}

async function openTable(folder: string, version: number): Promise<Table> {
  const { connect } = await importLance(folder)
  try {
    const table = await (await connect(dirname(folder))).openTable(basename(folder, '.lance'))
    await table.checkout(version)
    return table
  } catch (error) {
    throw new PipelineError('dataset', `${shownPath(folder)} is a damaged Lance table, or none: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

async function importLance(folder: string): Promise<Lancedb> {
  try {
    return (await import(packageName)) as Lancedb
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new PipelineError(
      'dataset',
      `${shownPath(folder)} is a Lance table: to read it, install the package that does beside this program (npm install ${packageName}).`,
      { cause: error },
    )
  }
}
