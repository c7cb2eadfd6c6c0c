/** The entry of a worker process whose model answers with the text of the file that it opens. */
import { readFile } from 'node:fs/promises'
import { serveEngine } from '../../../stages/model/backends/local-models/serve-engine.js'

serveEngine((_, __, openMediaFile) =>
  Promise.resolve({
    async answer({ input }) {
      const [part] = input.messages.flatMap(({ content }) => content)
      if (part === undefined || part.type === 'text') throw new Error('no medium')
      await using file = await openMediaFile(part.media)
      return { body: { text: await readFile(file.path, 'utf8'), finishReason: 'stop' } }
    },
    close: () => Promise.resolve(),
  }),
)
