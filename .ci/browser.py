# The headless Chromium of `page-test` and `web-client`.
import base64
import json
import pathlib
import subprocess
import time
import urllib.request

import websocket


class Browser:
    """A tab, over the DevTools protocol; what goes wrong in it is remembered."""

    def __init__(self, folder, expect, options=()):
        self.expect = expect
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--disable-background-networking", "--no-first-run", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={folder}", *options, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = pathlib.Path(folder, "DevToolsActivePort")
        self.wait(lambda: port.exists() and len(port.read_text().split()) == 2, "the browser starts", 60)
        number = port.read_text().split()[0]
        tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{number}/json"))
        tab = next(each for each in tabs if each["type"] == "page")
        self.socket = websocket.create_connection(tab["webSocketDebuggerUrl"], timeout=30)
        self.number, self.complaints, self.dialogs = 0, [], 0
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.requested = []
        # Keys go where they would in a window in front.
        self.call("Page.bringToFront")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details.get("text"))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.dialogs += 1
        elif method == "Network.requestWillBeSent":
            self.requested.append(parameters["request"]["url"])

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(condition) if isinstance(condition, str) else condition()
            if value:
                return True
            time.sleep(0.05)
        self.expect(False, f"{what} (waited for {seconds} s)")
        return False

    def see(self, condition, what):
        if self.wait(condition, what):
            self.expect(True, what)

    def refresh(self, times=2):
        """Waits until the page brought itself up to date: something must be going on."""
        for _ in range(times):
            shown = self.run("document.querySelector('#count-exchanges').textContent")
            self.wait(f"document.querySelector('#count-exchanges').textContent !== '{shown}'", "the page follows")

    def click(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def fill(self, selector, text):
        self.run(f"""(() => {{ const field = document.querySelector({json.dumps(selector)});
            field.value = {json.dumps(text)}; field.dispatchEvent(new Event("input", {{ bubbles: true }})); }})()""")

    def key(self, name, code):
        for kind in ("keyDown" if name == "Enter" else "rawKeyDown", "keyUp"):
            text = {"text": "\r"} if kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **text)

    def screenshot(self, name):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        pathlib.Path(".build/page", name).write_bytes(base64.b64decode(data))
