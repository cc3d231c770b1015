// Fetches pages of this site for the scripts that show parts of them.

const TIMEOUT = 15_000 // milliseconds

/** The HTML of the page at this address; throws where there is none, or where it leads elsewhere. */
export async function fetchText(url) {
  const answer = await fetch(url, {
    headers: { Accept: "text/html" },
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!answer.ok || answer.redirected) throw new Error(answer.status)
  return answer.text()
}

/** A document of its own, whose parts can be moved into the page. */
export const parsePage = (text) => new DOMParser().parseFromString(text, "text/html")

/** The page at this address, under the conditions of `fetchText`. */
export const fetchPage = async (url) => parsePage(await fetchText(url))
