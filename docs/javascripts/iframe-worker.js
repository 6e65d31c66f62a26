// Search on a page opened from a folder: browsers start no worker there, so a hidden frame does its work.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      this.frame = frame.contentWindow;
      this.frame.importScripts = (...urls) => Promise.all(urls.map((one) => this.load(one)));
      this.frame.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = this.load(url);
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.frame.document.createElement("script");
        Object.assign(script, { src: url, onload: resolve, onerror: reject });
        this.frame.document.head.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.frame.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
