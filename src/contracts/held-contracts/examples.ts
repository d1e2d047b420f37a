/** Of the subscription that the description shows everywhere. */
export const contractExample = 'sub_jule0brandt0strom0000001';
