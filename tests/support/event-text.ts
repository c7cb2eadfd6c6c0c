/** Formats server-sent events: JSON without a name, `[name, JSON]`, or a text unchanged. */
export const eventText = (events: readonly (object | string | readonly [string, object])[]): string =>
  events
    .map(event => {
      if (typeof event === 'string') return event.startsWith(':') ? `${event}\n\n` : `data: ${event}\n\n`
      if (Array.isArray(event)) return `event: ${String(event[0])}\ndata: ${JSON.stringify(event[1])}\n\n`
      return `data: ${JSON.stringify(event)}\n\n`
    })
    .join('')

/** Makes the response to a request for a stream. */
export const streamOf = (events: Parameters<typeof eventText>[0], type = 'text/event-stream; charset=utf-8') => ({
  headers: { 'content-type': type },
  body: eventText(events),
})
