/**
 * Returns a function that collects the messages of one turn of the event loop and sends them as one list. A list costs as much as a single message, and what its
 * messages share, such as the prompt of several options, is written once.
 */
export function sendTogether<Message>(send: (messages: readonly Message[]) => void): (message: Message) => void {
  let waiting: Message[] = []
  return message => {
    waiting.push(message)
    if (waiting.length > 1) return
    setImmediate(() => {
      const messages = waiting
      waiting = []
      send(messages)
    })
  }
}
