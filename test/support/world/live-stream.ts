/** Reads a streamed reply block by block, as far as the test wants. */
export class LiveStream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  body = ''

  constructor(response: Response) {
    if (!response.body) throw new Error('the reply has no body')
    this.#reader = response.body.getReader()
  }

  /** Reads on until the body so far contains `text`, as often as `times` says. */
  async until(text: string, times = 1): Promise<void> {
    while (this.body.split(text).length <= times)
      if (!(await this.#more())) throw new Error(`ended before ${text}: …${this.body.slice(-500)}`)
  }

  async rest(): Promise<string> {
    while (await this.#more());
    return this.body
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    this.body += this.#decoder.decode(value, { stream: !done })
    return !done
  }
}
