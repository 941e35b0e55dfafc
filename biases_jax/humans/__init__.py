"""What did people see on the same images, and how like them do models err?"""
