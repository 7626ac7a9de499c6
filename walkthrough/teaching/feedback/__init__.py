"""What the student of one sheet is told: as a report, as a page to print, and as the workbook with its cells marked."""
