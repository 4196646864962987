/* A Worker for pages opened from file://, where browsers refuse real ones.

   The worker's script runs in an empty frame of this page: a realm of its own, the same
   origin and the same Content-Security-Policy, and no request to anywhere. Over http(s)
   nothing is changed. */
;(() => {
  "use strict"
  if (location.protocol !== "file:") return

  class FrameWorker extends EventTarget {
    #frame = document.createElement("iframe")
    #waiting = []
    #ready = false
    onmessage = null
    onerror = null
    onmessageerror = null

    constructor(url) {
      super()
      this.#frame.hidden = true
      this.#frame.title = "search"
      document.documentElement.append(this.#frame)

      const realm = this.#frame.contentWindow
      realm.postMessage = data =>
        this.#tell("message", new MessageEvent("message", { data: structuredClone(data) }))

      const script = this.#frame.contentDocument.createElement("script")
      script.src = new URL(url, document.baseURI).href
      script.addEventListener("load", () => {
        this.#ready = true
        this.#waiting.splice(0).forEach(data => this.#give(data))
      })
      script.addEventListener("error", () => this.#tell("error", new Event("error")))
      this.#frame.contentDocument.documentElement.append(script)
    }

    postMessage(data) {
      const copy = structuredClone(data) // neither side may change the other's objects
      if (this.#ready) this.#give(copy)
      else this.#waiting.push(copy)
    }

    terminate() {
      this.#frame.remove()
    }

    /** To the worker's script; later, as a real worker would. */
    #give(data) {
      const realm = this.#frame.contentWindow
      setTimeout(() => realm?.dispatchEvent(new realm.MessageEvent("message", { data })))
    }

    /** To the page. */
    #tell(kind, event) {
      setTimeout(() => {
        this["on" + kind]?.(event)
        this.dispatchEvent(event)
      })
    }
  }

  window.Worker = FrameWorker
})()
