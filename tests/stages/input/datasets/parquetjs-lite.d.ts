/** The parts that the tests use. */
declare module 'parquetjs-lite' {
  interface Field {
    readonly type: string
    readonly optional?: boolean
    readonly repeated?: boolean
    readonly compression?: string
    readonly fields?: Readonly<Record<string, Field>>
  }
  export interface ParquetSchema {
    readonly fields: object
  }
  export const ParquetSchema: new (fields: Readonly<Record<string, Field>>) => ParquetSchema
  export class ParquetWriter {
    static openFile(
      schema: ParquetSchema,
      path: string,
      options?: { readonly rowGroupSize?: number; readonly useDataPageV2?: boolean },
    ): Promise<ParquetWriter>
    appendRow(row: Readonly<Record<string, unknown>>): Promise<void>
    close(): Promise<void>
  }
}
