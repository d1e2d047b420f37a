/* A button that copies, at each block of lines. Without a script the lines are marked and copied by hand. */
for (const block of navigator.clipboard === undefined ? [] : document.querySelectorAll('main pre')) {
  const place = document.createElement('div');
  const button = document.createElement('button');
  place.className = 'copied';
  button.type = 'button';
  button.textContent = 'Copy';
  /* Said aloud: the word of the button changes. */
  button.ariaLive = 'polite';
  block.replaceWith(place);
  place.append(block, button);
  const say = (word) => {
    button.textContent = word;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  };
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(block.textContent).then(
      () => say('Copied'),
      () => say('Not copied'),
    );
  });
}
